import Foundation
import JournalStore
import Testing

@testable import JournalReplayKit

/// Every later version must open and replay the journals that each version of the schema wrote.
@Suite struct `Journals of every schema` {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fixtures")

    /// Copies a journal to its own folder, because opening it creates files next to it.
    private func copy(_ schema: Int) throws -> Kept {
        let fixture = try Fixture()
        let path = fixture.path("old.db")
        try FileManager.default.copyItem(
            atPath: Self.folder.appendingPathComponent("schema-\(schema).db").path, toPath: path)
        return Kept(fixture: fixture, path: path)
    }

    @Test func `are kept as fixtures`() throws {
        let kept = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(".db") }
        #expect(kept.sorted() == (1...JournalReader.schemaVersion).map { "schema-\($0).db" })
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
}
