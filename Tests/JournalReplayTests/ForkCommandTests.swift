import Foundation
import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `fork` {
    @Test func `creates a journal that ends at its step`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let fork = fixture.path("fork.db")
        let result = try await Tool.run("fork", shop, fork, "--at", "2", "--stream", "cart-1")
        #expect(result.status == 0)
        #expect(result.error == "")
        #expect(result.lines.count == 2)
        #expect(result.output.hasPrefix("Forked stream 'cart-1' at step 2 to \(fork): "))
        #expect(result.lines.first?.hasSuffix(" bytes), verified.") == true)
        #expect(result.lines.last == "2 effects wait for a decision: 'effects --status asked' lists them.")
        let log = try await Tool.run("log", fork, "--json")
        #expect(try objects(log.output).compactMap { $0["step"] as? Int } == [1, 2])
        #expect(
            try await Tool.run("verify", fork).output
                == "Sound: 1 stream, 2 entries, 1 snapshot.\n\(Tool.notReplayed)\n")
        let one = try await Tool.run("fork", shop, fixture.path("one.db"), "--at", "3", "--stream", "cart-1")
        #expect(one.lines.last == "1 effect waits for a decision: 'effects --status asked' lists it.", "\(one)")
        // It is the same history, entry by entry.
        let original = try await Tool.run("log", shop, "--json", "--stream", "cart-1", "--to", "2")
        #expect(log.output == original.output)
        #expect(try await Tool.run("cancel", fork, "2.1").status == 0)
    }

    @Test func `writes one JSON object with the keys that its help lists`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 10)
        let fork = fixture.path("fork.db")
        // The stream need not be named if the journal has only one.
        let result = try await Tool.run("fork", "--json", "--at=7", path, fork)
        let object = try #require(try objects(result.output).first)
        #expect(try keys(ofFirstLine: result.output) == Command.fork.keys.map(\.name))
        #expect(object["file"] as? String == path)
        #expect(object["fork"] as? String == fork)
        #expect(object["stream"] as? String == "counter")
        #expect(object["step"] as? Int == 7)
        #expect(object["asked"] as? Int == 0)
        #expect(object["bytes"] as? Int == (try FileManager.default.attributesOfItem(atPath: fork)[.size] as? Int))
    }

    /// What comes after the step tells which effects were live then.
    @Test(arguments: [
        "DELETE FROM entry WHERE step = 3 AND stream = 1",
        "UPDATE entry SET cause_step = 1 WHERE step = 3 AND stream = 1",
    ])
    func `is refused if the stream is damaged after the step`(sql: String) async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        try fixture.execute(sql, in: shop)
        let fork = fixture.path("fork.db")
        let result = try await Tool.run("fork", shop, fork, "--at", "2", "--stream", "cart-1")
        #expect(result.status == 65)
        #expect(
            result.error.contains(
                "stream 'cart-1', step 3: The stream is not sound after step 2, so it is not known which effects were live"
            ),
            "\(result)")
        #expect(!FileManager.default.fileExists(atPath: fork))
    }

    @Test func `tells that a damaged snapshot was left out`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.shop()
        let step = try fixture.number("SELECT max(step) FROM snapshot WHERE stream = 1", in: path)
        try #require(step > 0)
        try fixture.execute("UPDATE snapshot SET state = 'x' WHERE stream = 1 AND step = \(step)", in: path)
        let result = try await Tool.run("fork", path, "cart-1", fixture.path("fork.db"), "--at", "\(step)", "--json")
        #expect(result.status == 0)
        #expect(result.error.contains("1 damaged snapshot was left out."), "\(result)")
        #expect(try objects(result.output).first?["omittedSnapshots"] as? Int == 1)
    }

    @Test func `says that a stream has no step yet`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        let stream = try await journal.openStream("a", machine: "account")
        try await stream.close()
        try await journal.close()
        let result = try await Tool.run("fork", fixture.path("shop.db"), fixture.path("fork.db"), "--at", "last")
        #expect(result.status == 66)
        #expect(result.error.contains("The stream has no step yet that a fork can keep."), "\(result)")
    }

    @Test(arguments: [
        (
            ["--at", "4", "--stream", "cart-1"], 66,
            "The stream ends at step 3. Choose an existing step. [no-such-step]"
        ),
        (["--at", "1", "--stream", "cart1"], 66, "There is no such stream. Did you mean 'cart-1'? `journal-replay "),
        (
            ["--at", "0", "--stream", "cart-1"], 64,
            "'--at' takes a step of 1 or more, 'last', or a time such as 2025-12-31, 2025-12-31T23:59Z or 10m"
        ),
        (["--at", "2024-12-31", "--stream", "cart-1"], 66, "Choose a later time, or a step from 1 on. [no-such-step]"),
        (["--stream", "cart-1"], 64, "'--at' is missing: name the last step to keep."),
        (
            ["--at", "1"], 64,
            "The journal has 3 streams: name one after FILE: "
        ),
    ])
    func `reports why it creates no fork`(options: [String], status: Int32, sentence: String) async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let fork = fixture.path("fork.db")
        let result = try await Tool.run(program: Tool.path, ["fork", shop, fork] + options)
        #expect(result.status == status)
        #expect(result.output == "")
        #expect(result.error.hasPrefix("Error: "))
        #expect(result.error.contains(sentence))
        #expect(!FileManager.default.fileExists(atPath: fork))
    }

    @Test(arguments: [("last", 3), ("1w", 3), ("2025-01-01T00:00:07Z", 2)])
    func `can end at the last step, or at a time`(place: String, step: Int) async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("fork", shop, "cart-1", fixture.path("fork.db"), "--at", place, "--json")
        #expect(try objects(result.output).first?["step"] as? Int == step, "\(result)")
    }

    @Test func `does not take the name of a stream for its file`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 3)
        let line = #"cd "$1" && "$0" fork counter.db counter --at 2"#
        let result = try await Tool.shell(line, fixture.folder)
        #expect(result.status == 64)
        #expect(result.error.hasPrefix("Error: OUT is missing: 'counter' is a stream.\n"), "\(result)")
        #expect(!FileManager.default.fileExists(atPath: fixture.path("counter")))
        // The option says that the word is not the stream.
        #expect(try await Tool.shell(line + " --stream counter", fixture.folder).status == 0)
        #expect(path == fixture.path("counter.db"))
    }

    @Test func `overwrites nothing and creates no folder`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 3)
        let result = try await Tool.run("fork", path, path, "--at", "1")
        #expect(result.status == 1)
        #expect(
            result.error == "Error: \(path): This path already exists, and nothing is overwritten. "
                + "Choose another name. [destination-exists]\n")
        #expect(try await Tool.run("fork", path, fixture.path("none/a.db"), "--at", "1").status == 66)
        #expect(try await Tool.run("fork", fixture.path("none.db"), fixture.path("a.db"), "--at", "1").status == 66)
        #expect(try await Tool.run("fork", path, fixture.path("a.db-wal"), "--at", "1").status == 64)
        #expect(!FileManager.default.fileExists(atPath: fixture.path("none")))
    }

    @Test func `works while an app writes`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        let stream = try await journal.openStream("cart", machine: "cart")
        try await stream.append(contentsOf: ["1", "2", "3"])
        #expect(try await Tool.run("fork", fixture.path("shop.db"), fixture.path("fork.db"), "--at", "2").status == 0)
        try await stream.append("4")
        try await journal.close()
        let fork = try Journal(path: fixture.path("fork.db"))
        #expect(try await fork.openStream("cart", machine: "cart").append("other").step == 3)
        try await fork.close()
    }
}

@Suite struct `backup --detach` {
    @Test func `creates a separate journal`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let copy = fixture.path("copy.db")
        let result = try await Tool.run("backup", "--detach", shop, copy)
        #expect(result.status == 0)
        #expect(result.output.hasSuffix(" bytes), verified, detached.\n"))
        let effects = try objects(try await Tool.run("effects", copy, "--all", "--json").output)
        #expect(effects.compactMap { $0["status"] as? String } == ["completed", "asked", "failed", "asked"])
        let json = try await Tool.run("backup", "--detach", "--json", shop, fixture.path("json.db"))
        #expect(try #require(try objects(json.output).first)["detached"] as? Bool == true)
        #expect(try await Tool.run("log", copy).output == Tool.run("log", shop).output)
    }
}
