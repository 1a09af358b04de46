import JournalStore
import Testing
import TortureKit

@testable import JournalReplayKit

@Suite struct `diff` {
    @Test func `shows the differences, part by part`() async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.inApp("diff", accounts.path, "2", "5", "--stream", "a")
        #expect(
            result
                == Tool.Result(
                    status: 0,
                    output: """
                        balance: 10 → -7
                        + lines[1]: Line(amount: 1, number: 2)
                        + lines[2]: Line(amount: 2, number: 3)
                        + lines[3]: Line(amount: -20, number: 4)
                        status: .new → .open(limit: 5)

                        """, error: ""))
        let back = try await Tool.inApp("diff", accounts.path, "last", "7", "--stream", "a")
        #expect(back.output == "status: .closed → .open(limit: 5)\n")
        let same = try await Tool.inApp("diff", accounts.path, "5", "6", "--stream", "a")
        #expect(same == Tool.Result(status: 0, output: "", error: "The states after step 5 and step 6 are the same.\n"))
        for (words, start) in [
            (["last", "8"], "A and B are both step 8"), (["2h", "1h"], "Both times are after step 8"),
        ] {
            let result = try await Tool.run(program: Tool.app, ["diff", accounts.path, "a"] + words)
            #expect(result == Tool.Result(status: 0, output: "", error: "\(start), so the states are the same.\n"))
        }
    }

    @Test func `finds the last steps that were committed up to two times`() async throws {
        let accounts = try await Fixture().accountsKept()
        let times = try JournalReader(path: accounts.path).entries(in: "a").map { "\($0.time)" }
        let steps = try await Tool.inApp("diff", accounts.path, "a", "2", "5")
        #expect(try await Tool.inApp("diff", accounts.path, "a", times[1], times[4]) == steps)
        #expect(try await Tool.inApp("diff", accounts.path, "a", times[1], "5") == steps)
        let all = try await Tool.inApp("diff", accounts.path, "a", "2024-12-31", "1s", "--json")
        let object = try #require(try objects(all.output).first)
        #expect(object["from"] as? Int == 0)
        #expect(object["to"] as? Int == 8)
    }

    @Test func `reduces on from the earlier state, so that a snapshot of other code between them does not matter`()
        async throws
    {
        let accounts = try await Fixture().accountsKept()
        try await accounts.keepOtherState(at: 4)
        let right = "balance: 10 → 13\n"
        #expect(try await Tool.inApp("diff", accounts.path, "a", "3", "4").output.hasPrefix(right))
        let back = try await Tool.inApp("diff", accounts.path, "a", "5", "3")
        #expect(back.output.hasPrefix("balance: -7 → 10\n"), "\(back)")
        // A diff that begins at the snapshot shows what the steps after it did.
        #expect(try await Tool.inApp("diff", accounts.path, "a", "4", "5").output.hasPrefix("balance: 100 → 80\n"))
        // A base replaces what was computed.
        try accounts.fixture.change("UPDATE snapshot SET is_base = 1", in: accounts.path)
        #expect(try await Tool.inApp("diff", accounts.path, "a", "3", "5").output.hasPrefix("balance: 10 → 80\n"))
    }

    @Test func `writes one JSON object with the keys that its help lists`() async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.inApp("diff", "--json", accounts.path, "0", "1", "--stream=a")
        #expect(try keys(ofFirstLine: result.output) == Command.diff.keys.map(\.name))
        let object = try #require(try objects(result.output).first)
        let changes = try #require(object["changes"] as? [[String: Any]])
        #expect(changes.map { $0["path"] as? String } == ["balance", "lines[0]"])
        #expect(changes[0]["old"] as? String == "0" && changes[0]["new"] as? String == "10")
        #expect(changes[1]["old"] is String == false)
    }

    @Test(arguments: [
        (["1"], 64, "B is missing."), (["1", "x"], 64, "B must be a step of 0 or more, 'last', or a time such as"),
        (["1", "99"], 66, "The stream ends at step 8."),
    ])
    func `reports wrong steps`(steps: [String], status: Int32, message: String) async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.run(program: Tool.app, ["diff", accounts.path] + steps + ["--stream=a"])
        #expect(result.status == status)
        #expect(result.error.contains(message), "\(result.error)")
    }
}
