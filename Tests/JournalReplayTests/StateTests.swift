import JournalStore
import Testing
import TortureKit

@testable import JournalReplayKit

@Suite struct `state` {
    @Test(arguments: ["state", "show"])
    func `what a reducer prints does not get between the data`(_ command: String) async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        let stream = try await journal.openStream("a", machine: "noisy")
        for number in 1...3 { try await stream.append("\(number)") }
        try await journal.close()
        let rest = ["state": ["--at=3"], "show": ["3"]][command] ?? []
        let result = try await Tool.run(program: Tool.app, [command, fixture.path("shop.db")] + rest + ["--json"])
        #expect(result.status == 0, "\(result)")
        #expect(JSON(result.output) != nil, "\(result)")
        #expect(result.error.contains("adding 3"), "\(result)")
    }

    @Test func `shows the state after the last step, formatted for people`() async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.inApp("state", accounts.path, "--stream", "a")
        #expect(result.status == 0)
        #expect(result.error == "")
        #expect(
            result.output == """
                {
                  "answers": ["yes"],
                  "balance": -7,
                  "labels": ["x"],
                  "lines": [
                    {"amount": 10, "number": 1},
                    {"amount": 1, "number": 2},
                    {"amount": 2, "number": 3},
                    {"amount": -20, "number": 4}
                  ],
                  "luck": [],
                  "status": {"closed": {}}
                }

                """)
    }

    @Test(arguments: [
        (["--at", "0"], "balance", "0"), (["--at", "4"], "balance", "13"), (["--at", "last"], "balance", "-7"),
        (["--at", "4"], "lines.count", "3"), (["--at", "4"], "lines.2.amount", "2"),
        (["--at", "4"], "lines[0]", "{\n  \"amount\": 10,\n  \"number\": 1\n}"),
        (["--at", "3"], "status.open.limit", "5"), (["--at", "4", "--without", "1"], "balance", "3"),
        (["--without=5", "--without=1"], "balance", "3"),
    ])
    func `shows a part of the state after a step`(place: [String], path: String, value: String) async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.run(
            program: Tool.app, ["state", accounts.path, "--stream=a", "--path", path] + place)
        #expect(result == Tool.Result(status: 0, output: value + "\n", error: ""))
    }

    @Test func `finds the last step that was committed up to a time`() async throws {
        let accounts = try await Fixture().accountsKept()
        let entries = try JournalReader(path: accounts.path).entries(in: "a")
        for (time, step) in [
            (entries[3].time, 4), (Timestamp(microseconds: entries[3].time.microseconds - 1), 3),
            (Timestamp(microseconds: 0), 0), (Timestamp(microseconds: entries[7].time.microseconds + 1), 8),
        ] {
            let result = try await Tool.inApp("state", "--json", accounts.path, "--stream=a", "--at", "\(time)")
            #expect(try #require(try objects(result.output).first)["step"] as? Int == step)
            #expect(result.error.isEmpty == (step > 0))
        }
        let early = try await Tool.inApp("state", accounts.path, "a", "--at", "2020-01-01", "--path=balance")
        #expect(early.output == "0\n")
        #expect(early.error.hasPrefix("The stream did not exist at that time: it was created at 2025-01-01T00:00:0"))
        #expect(early.error.hasSuffix(" This is the initial state.\n"))
    }

    @Test func `tells from which time on states can be computed if the steps at a time were pruned`() async throws {
        let accounts = try await Fixture().accountsKept()
        let times = try JournalReader(path: accounts.path).entries(in: "a").map(\.time)
        #expect(try await Tool.inApp("snapshot", accounts.path, "a", "--at=5", "--yes").status == 0)
        #expect(try await Tool.run("prune", accounts.path, "a", "--before=6", "--yes").status == 0)
        for time in [times[1], times[4], Timestamp(microseconds: times[5].microseconds - 1)] {
            let result = try await Tool.inApp("state", accounts.path, "a", "--at=\(time)")
            #expect(result.status == 66)
            #expect(
                result.error
                    == "Error: \(accounts.path), stream 'a': The stream's last step at \(time) is not known: the "
                    + "entries up to step 5 were pruned. States can be computed from \(times[5]) on. Choose a later "
                    + "time, or read a backup that has the entries. [no-usable-snapshot]\n")
            let fork = accounts.path + "-fork"
            #expect(try await Tool.run("fork", accounts.path, "a", fork, "--at=\(time)").error == result.error)
        }
        let snapshot = try await Tool.inApp("snapshot", accounts.path, "a", "--at=2", "--yes")
        #expect(
            snapshot.error.contains("step 2: The entries up to step 5 were pruned. Choose step 5 or a later one."),
            "\(snapshot)")
        let first = try await Tool.inApp("state", accounts.path, "a", "--at=\(times[5])", "--path=balance")
        #expect(first == Tool.Result(status: 0, output: "-7\n", error: ""))
    }

    @Test func `writes one JSON object with the keys that its help lists`() async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.inApp("state", "--json", accounts.path, "--stream", "a", "--at=4", "--path=balance")
        #expect(try keys(ofFirstLine: result.output) == Command.state.keys.map(\.name))
        let object = try #require(try objects(result.output).first)
        #expect(object["state"] as? Int == 13)
        #expect(object["step"] as? Int == 4)
        #expect(object["path"] as? String == "balance")
        #expect((object["time"] as? String)?.hasPrefix("2025-01-01T00:00:") == true)
    }

    @Test(arguments: [
        (["--at", "9"], 66, "step 9: The stream ends at step 8. Choose an existing step."),
        (
            ["--at", "-1"], 64,
            "'--at' takes a step of 0 or more, 'last', or a time such as 2025-12-31, 2025-12-31T23:59Z or 10m (ten minutes ago), not '-1'."
        ),
        (
            ["--at", "noon"], 64,
            "'--at' takes a step of 0 or more, 'last', or a time such as 2025-12-31, 2025-12-31T23:59Z or 10m (ten minutes ago), not 'noon'."
        ),
        (
            ["--path", "balanze"], 66,
            "accounts.db, stream 'a', step 8: There is no 'balanze' in the state. Did you mean 'balance'?"
        ),
        (["--path", "lines.7"], 66, "There is no '7' in 'lines', a list of 4 elements."),
        (["--path", "balance.x"], 66, "There is no 'x' in 'balance', which is a number."),
        (["--path", "lines[0"], 64, "'--path' takes a path such as items.0.price, not 'lines[0'."),
        (["--stream", "c"], 64, "'--stream' is given twice."),
        (["--without", "9"], 66, "step 9: The stream ends at step 8. Leave out an existing step."),
        (["--at", "3", "--without", "4"], 64, "'--without 4' changes nothing: it comes after step 3."),
    ])
    func `reports wrong arguments`(line: [String], status: Int32, message: String) async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.run(program: Tool.app, ["state", accounts.path, "--stream=a"] + line)
        #expect(result.status == status)
        #expect(result.output == "")
        #expect(result.error.contains(message), "\(result.error)")
    }

    @Test func `that is not JSON is named with its file, stream and step if a path is given`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.shouts()
        let state = await Tool.here([ReplayMachine(shouting)], ["state", path, "--path", "a"])
        #expect(state.status == 64)
        #expect(state.error.hasPrefix("Error: \(path), stream 'a', step 1: The state is not JSON"), "\(state.error)")
        let streams = await Tool.here([ReplayMachine(shouting)], ["streams", path, "--where", "a"])
        #expect(streams.status == 1)
        #expect(
            streams.error.hasPrefix(
                "Warning: \(path), stream 'a', step 1: The state is not JSON, so no condition can be compared with it."),
            "\(streams.error)")
    }

    @Test func `requires --stream if the journal has several streams`() async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.inApp("state", accounts.path)
        #expect(result.status == 64)
        #expect(result.error.hasPrefix("Error: The journal has 2 streams: name one after FILE: a, b.\n"))
    }

    @Test func `reports a missing machine, and shows the states of snapshots without it`() async throws {
        let accounts = try await Fixture().accountsKept(snapshots: SnapshotPolicy(everySteps: 4, onClose: true))
        let steps = try JournalReader(path: accounts.path).snapshotSteps(in: "a")
        let none = try await Tool.run("state", accounts.path, "--stream", "a", "--at", "1")
        #expect(none.status == 1)
        #expect(none.output == "")
        #expect(none.error.contains("This needs the machine 'account' to reduce the steps."))
        #expect(none.error.contains("--machine lib….so, or use the tool inside the app."))
        #expect(none.error.contains("these steps have snapshots: \(steps.map(String.init).joined(separator: ", "))."))
        let kept = try await Tool.run("state", accounts.path, "--stream", "a", "--path", "balance")
        #expect(kept == Tool.Result(status: 0, output: "-7\n", error: ""))
        // No snapshot has a state without one of its steps.
        #expect(try await Tool.run("state", accounts.path, "--stream", "a", "--without", "1").status == 1)
    }
}

/// A journal, with the fixture that keeps its folder.
struct Kept {
    let fixture: Fixture
    let path: String
}

extension Kept {
    /// Takes a snapshot of the stream `a` with another state than its steps result in, as other code would have
    /// computed it.
    func keepOtherState(at step: Int) async throws {
        var state = Account()
        state.balance = 100
        state.status = .open(limit: 5)
        let journal = try Journal(path: path)
        try await journal.openStream("a", machine: "account").saveSnapshot(try JSONCodec().encode(state), at: step)
        try await journal.close()
    }
}

extension Fixture {
    func accountsKept(snapshots: SnapshotPolicy = .never) async throws -> Kept {
        Kept(fixture: self, path: try await accounts(snapshots: snapshots))
    }
}
