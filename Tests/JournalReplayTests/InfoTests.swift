import Foundation
import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `info` {
    @Test func `tells what a journal holds`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("info", shop)
        #expect(result.status == 0)
        #expect(result.error == "")
        let lines = result.lines
        #expect(lines.first == "File          \(shop)")
        #expect(lines.contains("Schema        version 1"))
        #expect(lines.contains("Streams       3"))
        #expect(lines.contains("Entries       6"))
        #expect(lines.contains("Snapshots     1"))
        #expect(lines.contains("Live effects  2"))
        #expect(lines.contains("Written by    nobody"))
        #expect(lines.contains { $0.hasPrefix("SQLite        3.") && $0.contains("the fix for checkpoints") })
    }

    @Test func `gives one object to programs, with the keys its help names`() async throws {
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
        #expect(info["writer"] is NSNull)
        let size = try FileManager.default.attributesOfItem(atPath: shop)[.size] as? Int
        #expect(info["databaseBytes"] as? Int == size)
    }

    @Test func `names who writes the journal`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        let result = try await Tool.run("info", fixture.path("shop.db"))
        let process = ProcessInfo.processInfo.processIdentifier
        #expect(result.lines.contains { $0.hasPrefix("Written by    process \(process) on ") })
        try await journal.close()
    }

    @Test func `leaves nothing behind`() async throws {
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
