import Foundation
import JournalStore
import Testing
import TortureKit

@testable import JournalReplayKit

@Suite(.serialized) struct `log --follow` {
    @Test func `shows the existing entries, then each new one, until interrupted`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        let stream = try await journal.openStream("cart", machine: "cart")
        try await stream.append(#""first""#)
        let tool = try Tool.start("log", "--follow", "--json", fixture.path("shop.db"))
        #expect(tool.line()?.contains(#""action":"first""#) == true)
        try await stream.append(#""second""#)
        #expect(tool.line()?.contains(#""action":"second""#) == true)
        try await journal.openStream("other", machine: "other").append(#""third""#)
        #expect(tool.line()?.contains(#""action":"third""#) == true)
        #expect(tool.interrupt() == -SIGINT)
        try await journal.close()
    }

    @Test func `of one stream shows no entries of others`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        let stream = try await journal.openStream("cart", machine: "cart")
        let other = try await journal.openStream("other", machine: "other")
        try await other.append(contentsOf: (1...1_000).map(String.init))
        try await stream.append(contentsOf: ["1", "2", "3"])
        let tool = try Tool.start("log", "-fn1", "--json", "--stream", "cart", fixture.path("shop.db"))
        #expect(tool.line()?.contains(#""action":3,"#) == true)
        try await other.append("1001")
        try await stream.append("4")
        #expect(tool.line()?.contains(#""action":4,"#) == true)
        #expect(tool.interrupt() == -SIGINT)
        try await journal.close()
    }

    @Test func `waits for the first entry of an empty stream`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        let stream = try await journal.openStream("cart", machine: "cart")
        let tool = try Tool.start("log", "-f", "--json", "--stream", "cart", fixture.path("shop.db"))
        try await stream.append(#""first""#)
        #expect(tool.line()?.contains(#""step":1,"#) == true)
        #expect(tool.interrupt() == -SIGINT)
        try await journal.close()
    }

    @Test func `begins with the first requested step, also if it does not exist yet`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        let stream = try await journal.openStream("cart", machine: "cart")
        try await stream.append("1")
        let tool = try Tool.start("log", "-f", "--json", "--from", "3", fixture.path("shop.db"))
        try await stream.append(contentsOf: ["2", "3"])
        #expect(tool.line()?.contains(#""step":3,"#) == true)
        #expect(tool.interrupt() == -SIGINT)
        try await journal.close()
    }

    @Test func `ends at the last requested step`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        let stream = try await journal.openStream("cart", machine: "cart")
        try await stream.append("1")
        let tool = try Tool.start("log", "-f", "--json", "--to", "2", fixture.path("shop.db"))
        #expect(tool.line()?.contains(#""step":1,"#) == true)
        try await stream.append(contentsOf: ["2", "3"])
        #expect(tool.line()?.contains(#""step":2,"#) == true)
        #expect(tool.line() == nil)
        #expect(tool.wait() == 0)
        try await journal.close()
    }

    @Test func `does not wait for a step that was pruned`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        let stream = try await journal.openStream("cart", machine: "cart")
        try await stream.append(contentsOf: ["1", "2", "3"])
        var batch = Batch()
        batch.settled = [stream.id: 3]
        _ = try await journal.commit(batch)
        try await stream.saveSnapshot("6", at: 2)
        #expect(try await journal.prune("cart", before: 3).base == 2)
        let tool = try Tool.start("log", "-f", "--json", "--to", "2", fixture.path("shop.db"), "cart")
        #expect(tool.line() == nil)
        #expect(tool.wait() == 0)
        try await journal.close()
    }

    @Test func `warns of what cannot be read before it waits`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 20)
        try fixture.execute("UPDATE entry SET origin = 99 WHERE step = 10", in: path)
        let line = #"exec "$0" log --follow --json "$1" 2>&1"#
        let tool = try Child("/bin/sh", ["-c", line, Tool.path, path])
        for _ in 1...19 { #expect(tool.line()?.hasPrefix("{") == true) }
        let ended = try await Tool.run("log", "--json", path)
        #expect(ended.error.contains("1 place in the list of entries cannot be read"), "\(ended)")
        #expect(tool.line() == ended.error.replacing("Error: ", with: "Warning: ").replacing("\n", with: ""))
        #expect(tool.interrupt() == -SIGINT)
    }

    @Test func `ends when nobody reads its output any more`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 2)
        // The shell waits for both.
        let tool = try Child("/bin/sh", ["-c", #""$0" log --follow --json "$1" | head -n 1"#, Tool.path, path])
        #expect(tool.line()?.hasPrefix("{") == true)
        #expect(tool.line() == nil)
        #expect(tool.wait() == 0)
    }

    @Test func `ends with an error when another journal has taken the place of the file`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 1, "a.db")
        let other = try await fixture.counter(entries: 2, "other.db")
        let tool = try Child(Tool.path, ["log", "--follow", "--json", path], keepsErrors: true)
        #expect(tool.line()?.hasPrefix("{") == true)
        #expect(rename(other, path) == 0)
        let ended = tool.outcome()
        #expect(ended.status == 1)
        #expect(ended.errors.contains("\(path): Another file has this name now."), "\(ended)")
    }

    @Test func `ends with an error when the journal was moved`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 1, "a.db")
        let tool = try Child(Tool.path, ["log", "--follow", "--json", path], keepsErrors: true)
        #expect(tool.line()?.hasPrefix("{") == true)
        #expect(rename(path, fixture.path("b.db")) == 0)
        let ended = tool.outcome()
        #expect(ended.status == 1)
        #expect(ended.errors.contains("\(path): The file was moved or deleted."), "\(ended)")
    }

    @Test func `cannot be combined with --until`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 1)
        let result = try await Tool.run("log", "--follow", "--until", "2030-01-01", path)
        #expect(result.status == 64)
        #expect(result.error.hasPrefix("Error: '--follow' and '--until' exclude each other.\n"))
    }
}
