import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `streams` {
    @Test func `lists each stream with its machine and its steps`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("streams", shop)
        #expect(result.status == 0)
        #expect(
            result.output == """
                NAME    MACHINE  STEPS  SETTLED  PRUNED  CREATED
                cart-1  cart         3        3       0  2025-01-01T00:00:02.000000Z
                cart-2  cart         2        0       0  2025-01-01T00:00:03.000000Z
                till    till         1        0       0  2025-01-01T00:00:04.000000Z

                """)
    }

    @Test func `writes one JSON object per stream, with the keys that its help lists`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("streams", shop, "--json")
        let streams = try objects(result.output)
        #expect(try keys(ofFirstLine: result.output) == Command.streams.keys.map(\.name))
        #expect(streams.map { $0["name"] as? String } == ["cart-1", "cart-2", "till"])
        #expect(streams.map { $0["steps"] as? Int } == [3, 2, 1])
        #expect(streams.map { $0["settled"] as? Int } == [3, 0, 0])
        #expect((streams[0]["headDigest"] as? String)?.count == 32)
    }

    @Test(arguments: [
        (["--of", "cart"], ["cart-1", "cart-2"]), (["--grep", "-2"], ["cart-2"]), (["--grep", "CART"], []),
        (["--of", "till", "--grep", "cart"], []), (["--sort", "name"], ["cart-1", "cart-2", "till"]),
        (["--sort", "steps"], ["cart-1", "cart-2", "till"]), (["--sort", "created"], ["cart-1", "cart-2", "till"]),
    ])
    func `can be filtered and sorted`(options: [String], names: [String]) async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run(program: Tool.path, ["streams", shop, "--json"] + options)
        #expect(try objects(result.output).compactMap { $0["name"] as? String } == names)
        #expect(result.status == 0)
        #expect(result.error == (names.isEmpty ? "No stream matches.\n" : ""))
    }

    @Test func `are sorted by the requested key`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        for (name, steps) in [("b", 1), ("c", 3), ("a", 2)] {
            try await journal.openStream(name, machine: "m").append(contentsOf: (0..<steps).map { "\($0)" })
        }
        try await journal.close()
        func names(_ options: String...) async throws -> [String] {
            let result = try await Tool.run(
                program: Tool.path, ["streams", fixture.path("shop.db"), "--json"] + options)
            return try objects(result.output).compactMap { $0["name"] as? String }
        }
        #expect(try await names() == ["b", "c", "a"])
        #expect(try await names("--sort", "name") == ["a", "b", "c"])
        #expect(try await names("--sort", "steps") == ["c", "a", "b"])
        #expect(try await names("--sort", "created") == ["b", "c", "a"])
    }

    private func names(_ line: [String], program: String = Tool.app) async throws -> [String] {
        let result = try await Tool.run(program: program, ["streams", "--json"] + line)
        #expect(result.status == 0)
        return try objects(result.output).compactMap { $0["name"] as? String }
    }

    @Test(arguments: [
        ("balance < 0", ["a"]), ("balance == 0", ["b"]), ("balance == 0 || labels contains \"x\"", ["a", "b"]),
        ("status.closed && lines[0].amount == 10", ["a"]), ("balance > 100", []),
    ])
    func `can be chosen by a condition on their newest states`(condition: String, expected: [String]) async throws {
        // Once from snapshots, once by reducing.
        for policy in [SnapshotPolicy.never, SnapshotPolicy(onClose: true)] {
            let fixture = try Fixture()
            let path = try await fixture.accounts(snapshots: policy)
            #expect(try await names([path, "--where", condition]) == expected)
        }
    }

    @Test func `can be chosen without the machine, if their newest states are in snapshots`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.accounts(snapshots: SnapshotPolicy(onClose: true))
        #expect(try await names([path, "--where", "balance < 0"], program: Tool.path) == ["a"])
        try fixture.execute("DELETE FROM snapshot", in: path)
        let result = try await Tool.run("streams", path, "--where", "balance < 0")
        #expect(result.status == 1)
        // One warning for the machine, and no answer to a condition that was not checked.
        #expect(
            result.error
                == "Warning: \(path): This needs the machine 'account' to reduce the steps. 2 of its streams could not be "
                + "checked. Load a library that has it, with --machine lib….so, or use the tool inside the app. [no-machine]\n"
                + "Warning: 2 streams could not be checked.\n")
    }

    /// The form of a state can change without a new version: a property is added with a default, or removed.
    @Test func `are chosen by the states that the machine shows, and not by what older code has stored`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.accounts(snapshots: SnapshotPolicy(onClose: true))
        try fixture.change("UPDATE snapshot SET state = json_set(state, '$.removed', 1)", in: path)
        #expect(try await names([path, "--where", "removed == 1"]) == [])
        #expect(try await names([path, "--where", "removed == 1"], program: Tool.path).isEmpty == false)
    }

    @Test func `warn once for each missing machine, and answer for the streams that were checked`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open("three.db", SnapshotPolicy())
        for (name, machine) in [("a", "book"), ("b", "book"), ("c", "member"), ("d", "shelf")] {
            let stream = try await journal.openStream(name, machine: machine)
            try await stream.append("1")
            if name == "d" { try await stream.saveSnapshot(#"{"books":5}"#, at: 1) }
        }
        try await journal.close()
        let path = fixture.path("three.db")
        let result = try await Tool.run("streams", path, "--where", "books > 9")
        #expect(result.status == 1)
        let lines = result.error.split(separator: "\n").map { String($0.replacing(#/ Load .*/#, with: "")) }
        let expected = [
            "Warning: \(path): This needs the machine 'book' to reduce the steps. 2 of its streams could not be checked.",
            "Warning: \(path), stream 'c': This needs the machine 'member' to reduce the steps.",
            "Warning: 3 streams could not be checked.", "No stream matches.",
        ]
        #expect(lines == expected)
    }

    @Test func `are chosen by their computed states if snapshots are damaged, and nothing is called lost`()
        async throws
    {
        let fixture = try Fixture()
        let path = try await fixture.accounts(snapshots: SnapshotPolicy(onClose: true))
        try fixture.execute("UPDATE snapshot SET state = state || ' '", in: path)
        let computed = try await Tool.inApp("streams", path, "--json", "--where", "balance < 0")
        #expect(computed.status == 0, "\(computed)")
        #expect(try objects(computed.output).compactMap { $0["name"] as? String } == ["a"])
        let told = "Nothing is lost: with the machine, the state can be computed."
        let unknown = try await Tool.run("streams", path, "--where", "balance < 0")
        #expect(unknown.status == 1)
        #expect(unknown.error.contains(told) && !unknown.error.contains("restore a backup"), "\(unknown)")
        let state = try await Tool.run("state", path, "a")
        #expect(state.status == 65)
        #expect(state.error.contains(told) && !state.error.contains("restore a backup"), "\(state)")
    }

    @Test(arguments: ["Hello", "Hello\n"])
    func `are chosen also if the app prints before it calls the tool`(greeting: String) async throws {
        let path = try await Fixture().accountsKept()
        let result = try await Tool.inApp(
            "streams", path.path, "--where", "balance < 0", environment: ["REPLAY_APP_GREETING": greeting])
        #expect(result.status == 0, "\(result)")
        #expect(result.error == "")
    }

    @Test func `are all checked, even if a reducer crashes`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.fragile()
        let found = try await Tool.inApp("streams", path, "--json", "--where", "none == null")
        #expect(found.status == 1)
        #expect(try objects(found.output).compactMap { $0["name"] as? String } == ["a", "c"])
        #expect(found.error.contains("stream 'b': The process that replayed the stream ended with status "))
        #expect(found.error.contains("Warning: 1 stream could not be checked.\n"))
    }

    @Test func `explain a condition that is wrong or never holds`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.accounts()
        let wrong = try await Tool.inApp("streams", path, "--where", "balance < 0 & open")
        #expect(wrong.status == 64)
        #expect(
            wrong.error.split(separator: "\n").prefix(3).map(String.init) == [
                "Error: 'balance < 0 & open' is not a condition: an operator such as == or && is expected, at character "
                    + "13. Examples: 'balance < 0', 'status == \"open\" && !closed'.",
                "  balance < 0 & open", "              ^",
            ])
        let none = try await Tool.inApp("streams", path, "--where", "balanec < 0")
        #expect(none.status == 0)
        #expect(none.error == "No stream matches. There is no 'balanec' in the state. Did you mean 'balance'?\n")
    }

    @Test func `does not call a path wrong that only the states of another machine have`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open("both.db", SnapshotPolicy())
        for (name, state) in [("book-1", #"{"title":"Emma"}"#), ("member-1", #"{"fines":5}"#)] {
            let stream = try await journal.openStream(name, machine: String(name.prefix(4)))
            try await stream.append("1")
            try await stream.saveSnapshot(state, at: 1)
        }
        try await journal.close()
        let path = fixture.path("both.db")
        #expect(try await Tool.run("streams", path, "--where", "fines > 9").error == "No stream matches.\n")
        let wrong = try await Tool.run("streams", path, "--where", "fine > 9")
        // A machine with a similar name is named first.
        #expect(
            wrong.error
                == "No stream matches. In the state of 'member-1' (machine 'memb'): There is no 'fine' in the state. "
                + "Did you mean 'fines'? In the state of 'book-1' (machine 'book'): There is no 'fine' in the state, which "
                + "has title.\n")
        let far = try await Tool.run("streams", path, "--where", "zz > 9")
        #expect(
            far.error
                == "No stream matches. In the state of 'book-1' (machine 'book'): There is no 'zz' in the state, "
                + "which has title. In the state of 'member-1' (machine 'memb'): There is no 'zz' in the state, which has "
                + "fines.\n")
    }

    @Test(arguments: [
        ("carts", "Did you mean 'cart'?"), ("nosuch", "The machines of the streams are: cart, till."),
    ])
    func `name the machines if none is the wanted one`(name: String, hint: String) async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        for more in [[], ["--where", "total > 1"]] {
            let result = try await Tool.run(program: Tool.path, ["streams", shop, "--of", name] + more)
            #expect(result == Tool.Result(status: 0, output: "", error: "No stream matches. \(hint)\n"))
        }
    }
}
