import Foundation
import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `info` {
    @Test func `shows the contents of a journal`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("info", shop)
        #expect(result.status == 0)
        #expect(result.error == "")
        let lines = result.lines
        #expect(lines.first == "File            \(shop)")
        #expect(lines.contains("Schema          version 1"))
        #expect(lines.contains("Streams         3"))
        #expect(lines.contains("Entries         6"))
        #expect(lines.contains("Snapshots       1"))
        #expect(lines.contains("Live effects    2"))
        #expect(lines.contains("Failed effects  1"))
        #expect(lines.contains("Written by      no process"))
        #expect(
            lines.contains {
                $0.hasPrefix("SQLite          3.") && $0.contains(" the fix of 3.51.3 for the write-ahead log")
            })
    }

    @Test func `writes one JSON object with the keys that its help lists`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("info", "--json", shop)
        let all = try objects(result.output)
        let info = try #require(all.first)
        #expect(all.count == 1)
        #expect(try keys(ofFirstLine: result.output) == Command.info.keys.map(\.name))
        #expect(info["file"] as? String == shop)
        #expect(info["schemaVersion"] as? Int == 1)
        #expect(info["streams"] as? Int == 3)
        #expect(info["entries"] as? Int == 6)
        #expect(info["snapshots"] as? Int == 1)
        #expect(info["liveEffects"] as? Int == 2)
        #expect(info["failedEffects"] as? Int == 1)
        #expect(info["writer"] is NSNull)
        let size = try FileManager.default.attributesOfItem(atPath: shop)[.size] as? Int
        #expect(info["databaseBytes"] as? Int == size)
    }

    @Test func `names the process that writes to the journal`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        let result = try await Tool.run("info", fixture.path("shop.db"))
        let process = ProcessInfo.processInfo.processIdentifier
        #expect(result.lines.contains { $0.hasPrefix("Written by      process \(process) on ") })
        try await journal.close()
    }

    @Test func `warns if acknowledged entries are missing, like every reading command`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.journalWithLostEntries()
        for command in ["info", "log", "streams", "effects"] {
            let result = try await Tool.run(command, path)
            #expect(result.status == 0)
            #expect(result.error.hasPrefix("Warning: \(path): "))
            #expect(result.error.contains("acknowledged"))
        }
        let verified = try await Tool.run("verify", path)
        #expect(verified.status == 65)
        #expect(!verified.error.contains("Warning: "), "\(verified)")
        // Without the report of the file.
        let replayed = try await Tool.run("verify", path, "--replay-only")
        #expect(replayed.error.hasPrefix("Warning: \(path): "), "\(replayed)")
        let backup = try await Tool.run("backup", path, fixture.path("b.db"))
        #expect(backup.status == 65)
        #expect(backup.error.hasPrefix("Error: ") && !backup.error.contains("Warning: "), "\(backup)")
    }

    @Test func `leaves no file behind and does not change the journal`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let before = try FileManager.default.contentsOfDirectory(atPath: fixture.folder).sorted()
        let bytes = FileManager.default.contents(atPath: shop)
        for command in ["info", "streams", "log", "effects", "verify"] {
            #expect(try await Tool.run(command, shop).status == 0)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder).sorted() == before)
        #expect(FileManager.default.contents(atPath: shop) == bytes)
    }
}
