import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `show` {
    @Test func `shows a step, and with the machine the changes of the state`() async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.inApp("show", accounts.path, "4", "--stream=a")
        #expect(result.status == 0)
        #expect(result.error == "")
        let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        try #require(lines.count > 8, "\(result)")
        #expect(lines[1] == "Step      4")
        #expect(lines[3] == "Origin    dispatched")
        #expect(lines[4] == "Outcome   reduced")
        #expect(
            lines.dropFirst(8).joined(separator: "\n") == """

                Action
                  {
                    "both": {"_0": 1, "_1": 2}
                  }

                Cascaded actions
                  {"add":{"_0":1}}
                  {"add":{"_0":2}}

                Changes
                  balance: 10 → 13
                  + lines[1]: Line(amount: 1, number: 2)
                  + lines[2]: Line(amount: 2, number: 3)

                """)
    }

    @Test func `shows the effects that a step returned, and the entries that they caused`() async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.run("show", accounts.path, "6", "--stream=a")
        #expect(result.status == 0)
        #expect(
            result.output.replacing(#/[0-9a-f]{32}/#, with: "KEY").hasSuffix(
                """

                Returned effects
                  {"run":"ask","id":{"String":"question"}}
                  {"ephemeral":"told"}

                Recorded effects
                  6.0 'ask' completed, 1 attempt
                      idempotency key KEY

                Caused entries
                  step 7: {"answer":{"_0":"yes"}}

                """), "\(result.output)")
        let refused = try await Tool.run("show", accounts.path, "last", "--stream=b")
        #expect(refused.output.contains("Outcome   rejected: not open\n"))
    }

    @Test func `says that a stream has no step yet`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        _ = try await journal.openStream("a", machine: "m")
        try await journal.close()
        let result = try await Tool.run("show", fixture.path("shop.db"), "last")
        #expect(result.status == 66)
        #expect(
            result.error.contains("stream 'a': The stream has no step yet. There is nothing to show. ["), "\(result)")
    }

    @Test func `says if the machine gives the step another outcome than it had`() async throws {
        let accounts = try await Fixture().accountsKept()
        let same = try await Tool.inApp("show", accounts.path, "4", "--stream=a", "--json")
        #expect(try objects(same.output).first?["replayedOutcome"] as? String == "reduced")
        try accounts.fixture.change(
            "UPDATE step_record SET outcome = 'rejected', reason = 'limit' WHERE step = 4", in: accounts.path)
        let result = try await Tool.inApp("show", accounts.path, "4", "--stream=a")
        #expect(result.output.contains("Outcome   rejected: limit\n"), "\(result)")
        #expect(
            result.output.contains(
                "  The step was rejected when it happened, and is reduced by this code. The changes below are what this code does.\n"
            ))
    }

    @Test func `writes one JSON object with the keys that its help lists`() async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.inApp("show", "--json", accounts.path, "6", "--stream=a")
        #expect(try keys(ofFirstLine: result.output) == Command.show.keys.map(\.name))
        let object = try #require(try objects(result.output).first)
        #expect(object["outcome"] as? String == "reduced")
        #expect((object["effects"] as? [[String: Any]])?.count == 2)
        let run = try #require((object["runs"] as? [[String: Any]])?.first)
        #expect(run["status"] as? String == "completed")
        #expect(run["kind"] as? String == "effect")
        #expect(Set(run.keys) == Set(Command.effects.keys.map(\.name)), "as `effects` writes it")
        #expect((object["caused"] as? [[String: Any]])?.first?["step"] as? Int == 7)
        #expect((object["changes"] as? [Any])?.isEmpty == true)
        let without = try await Tool.run("show", "--json", accounts.path, "6", "--stream=a")
        #expect(try #require(try objects(without.output).first)["changes"] is [Any] == false)
    }

    @Test func `says if a step has more effects than it shows`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        let stream = try await journal.openStream("a", machine: "x")
        try await stream.append("1")
        var batch = Batch()
        batch.runs = (0..<1_001).map { ordinal in
            EffectRun(
                stream: stream.id, step: 1, ordinal: ordinal, rootStep: 1, name: "e", status: .completed, attempts: 1)
        }
        _ = try await journal.commit(batch)
        try await journal.close()
        let result = try await Tool.run("show", fixture.path("shop.db"), "1")
        #expect(result.lines.last == "  … and more: these are the first 1,000")
        let json = try await Tool.run("show", fixture.path("shop.db"), "1", "--json")
        let object = try #require(try objects(json.output).first)
        #expect((object["runs"] as? [Any])?.count == 1_000)
        #expect(object["runsMore"] as? Bool == true)
    }

    @Test func `shows the entries that a step caused in another stream`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("show", shop, "3", "--stream=cart-1")
        #expect(result.output.contains("Origin    effect 2.0\n"))
        #expect(result.output.contains("Caused entries\n  stream 'till', step 1: {\"booked\":{}}\n"))
        #expect(result.output.contains("3.0 'print' failed, 3 attempts: no paper\\u0007\n"))
        let odd = try await Tool.run("show", shop, "2", "--stream=cart-2")
        #expect(odd.output.contains("Action\n  no\\n\\u001b[2JJSON\n"))
    }

    @Test func `shows what an effect has sent that the journal has no record of`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open("a.db")
        let machine = Machine<String, Int, Void>("m", initialState: 0) { action, _, _ in
            action == "ask" ? .ephemeral { _ in throw CancellationError() }.onFailure { _ in "no answer" } : .none
        }
        let store = try await journal.open(machine, stream: "a")
        await (try await store.dispatch("ask")).completion()
        try await journal.close()
        let result = try await Tool.run("show", fixture.path("a.db"), "1")
        #expect(result.output.contains("Caused entries\n  step 2: \"no answer\"\n"), "\(result)")
    }

    @Test(arguments: [
        ("0", 64, "STEP must be 'last' or a step of 1 or more, not '0'."), ("9", 66, "The stream ends at step 8."),
        ("x", 64, "not 'x'"),
    ])
    func `reports a wrong step`(step: String, status: Int32, message: String) async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.run("show", accounts.path, step, "--stream=a")
        #expect(result.status == status)
        #expect(result.output == "")
        #expect(result.error.contains(message), "\(result.error)")
    }

    @Test func `shows a step whose outcome was changed by hand, and says that`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open("a.db", .never)
        let machine = Machine<String, Int, Void>("m", initialState: 0) { _, _, _ in .reject("no") }
        let store = try await journal.open(machine, stream: "a")
        _ = try await store.dispatch("pay", id: "order-7")
        try await journal.close()
        let path = fixture.path("a.db")
        try fixture.execute("UPDATE step_record SET reason = 'yes'", in: path)
        for result in [
            try await Tool.run("show", path, "a", "1"), try await Tool.run("find", path, "order-7"),
            try await Tool.run("log", path),
        ] {
            #expect(result.status == 65)
            #expect(result.output.contains("pay"), "\(result)")
            #expect(result.error.contains("The outcome of step 1 of the stream 'a' cannot be read."), "\(result)")
        }
        let json = try await Tool.run("show", path, "a", "1", "--json")
        #expect(json.output.contains(#""outcome":null"#) && json.output.contains(#""reason":"cannot be read""#))
    }
}
