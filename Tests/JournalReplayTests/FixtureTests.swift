import Foundation
import JournalStore
import Testing
import TortureKit

@testable import JournalReplayKit

/// Every later version must open and replay the journals that each version of the schema wrote.
@Suite struct `Journals of every schema` {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fixtures")

    /// Copies a journal to its own folder, because opening it creates files next to it.
    private func copy(_ schema: Int, _ kind: String = "") throws -> Kept {
        let fixture = try Fixture()
        let path = fixture.path("old.db")
        try FileManager.default.copyItem(
            atPath: Self.folder.appendingPathComponent("schema-\(schema)\(kind).db").path, toPath: path)
        return Kept(fixture: fixture, path: path)
    }

    @Test func `are kept as fixtures`() throws {
        let kept = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(".db") }
        let all = (1...JournalReader.schemaVersion).flatMap { ["schema-\($0).db", "schema-\($0)-rich.db"] }
        #expect(kept.sorted() == all.sorted())
    }

    @Test func `tell before an act what is impossible after a pruning`() async throws {
        let kept = try copy(JournalReader.schemaVersion, "-rich")
        let path = kept.path
        #expect(try await Tool.run("prune", path, "rich", "--before=999", "--yes").status == 0)
        // Two entries that the pruning has kept begin with this one.
        let drop = try await Tool.run("snapshot", path, "rich", "--drop=34")
        #expect(drop.status == 1)
        #expect(drop.error.contains("The entries after the snapshot were kept by a pruning"))
        for effect in ["35.0", "36.1", "37.0", "38.0"] {
            #expect(try await Tool.run("cancel", path, "rich", effect, "--yes").status == 0)
        }
        #expect(try await Tool.run("prune", path, "rich", "--before=999", "--yes").status == 0)
        let plan = try await Tool.run("retry", path, "rich", "35.0")
        #expect(plan.status == 66)
        #expect(plan.error.contains("whose entry was pruned"))
        #expect(try await Tool.run("retry", path, "rich", "35.0", "--yes") == plan)
    }

    @Test(arguments: 1...JournalReader.schemaVersion) func `are read by the tool`(schema: Int) async throws {
        let kept = try copy(schema)
        let path = kept.path
        let log = try await Tool.run("log", "--json", path)
        #expect(log.status == 0)
        #expect(
            try objects(log.output).compactMap { $0["name"] as? String }
                == ["add", "label", "close", "open", "both", "draw", "add", "ask", "answer"])
        let info = try #require(try objects(try await Tool.run("info", "--json", path).output).first)
        #expect(info["schemaVersion"] as? Int == schema)
        #expect(try await Tool.run("effects", path, "--all").lines.count == 2)
        let verify = try await Tool.inApp("verify", path)
        #expect(verify.status == 0, "\(verify)")
        #expect(verify.lines.count == 2)
        let state = try await Tool.inApp("state", path, "--at=7", "--path=balance")
        #expect(state.output == "-7\n")
        // Reading created no file.
        #expect(try FileManager.default.contentsOfDirectory(atPath: kept.fixture.folder) == ["old.db"])
    }

    @Test(arguments: 1...JournalReader.schemaVersion) func `can be migrated and continued`(schema: Int) async throws {
        let kept = try copy(schema)
        let path = kept.path
        let migrated = try await Tool.run("migrate", path, "--yes")
        #expect(migrated.status == 0)
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "account")
        #expect(try await stream.append(#"{"add":{"_0":1}}"#).step == 10)
        try await journal.close()
        #expect(try await Tool.inApp("verify", kept.path).status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: kept.fixture.folder).contains("old.db"))
    }

    @Test(arguments: 1...JournalReader.schemaVersion)
    func `have rows in every table, and restore their effects`(schema: Int) async throws {
        let kept = try copy(schema, "-rich")
        let path = kept.path
        let export = try await Tool.run("export", path)
        let rows = try #require(try objects(export.output).last?["rows"] as? [String: Any])
        #expect(rows.count >= 12)
        #expect(rows.filter { $0.value as? Int == 0 }.isEmpty)
        let before = try await Tool.inApp("verify", path)
        #expect(before.status == 0, "\(before)")
        #expect(try await Tool.run("migrate", path, "--yes").status == 0)
        let journal = try Journal(path: path)
        let store = try await journal.open(Rich.machine, stream: "rich", environment: Rich.Arrivals())
        #expect(store.state.sum == 727)
        #expect(store.state.done == ["quick"])
        #expect(try await store.liveRuns().map(\.status) == [.asked, .asked, .asked, .asked])
        // Its entry was pruned, its dispatch ID was not.
        #expect(try await store.dispatch(.add(1), id: "add-1").step == 1)
        try await journal.close()
        let after = try await Tool.inApp("verify", path)
        #expect(after.status == 0, "\(after)")
    }
}
