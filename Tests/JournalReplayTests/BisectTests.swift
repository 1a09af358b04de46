import Foundation
import JournalStore
import Testing
import TortureKit

@testable import JournalReplayKit

@Suite struct `bisect` {
    @Test(arguments: [
        ("balance < 0", "Step 5 is", #"{"add":{"_0":-20}}"#), ("lines.count >= 3", "Step 4 is", "both"),
        ("status.closed", "Step 8 is", "close"), ("answers contains \"yes\"", "Step 7 is", "answer"),
        ("balance != 1000", "Step 0 is", ""),
    ])
    func `finds the first step where a condition holds`(condition: String, line: String, action: String) async throws {
        let accounts = try await Fixture().accountsKept()
        for how in [[], ["--scan"]] {
            let result = try await Tool.run(
                program: Tool.app, ["bisect", accounts.path, "--stream=a", "--where", condition] + how)
            #expect(result.status == 0)
            #expect(result.error == "")
            #expect(result.output.hasPrefix("\(line) the first at which the condition holds ("))
            #expect(action.isEmpty || result.output.contains(action))
        }
    }

    @Test func `searches from the initial state, also if that is asked for`() async throws {
        let accounts = try await Fixture().accountsKept()
        func search(_ bounds: String...) async throws -> Tool.Result {
            let line = ["bisect", accounts.path, "--stream=a", "--where", "balance != 1000"]
            return try await Tool.run(program: Tool.app, line + bounds)
        }
        #expect(try await search("--from", "0").output.hasPrefix("Step 0 is the first"))
        #expect(try await search("--to", "0").output.hasPrefix("Step 0 is the first"))
        #expect(try await search("--to=-1").error.contains("takes a number of 0 or more"))
    }

    @Test func `warns if a number is compared with the path to another part`() async throws {
        let accounts = try await Fixture().accountsKept()
        for (condition, status) in [("balance != lines.count", 0), ("balance > lines.count", 1)] {
            let result = try await Tool.inApp("bisect", accounts.path, "--stream=a", "--where", condition)
            #expect(result.status == status)
            #expect(result.error.contains("'lines.count' is a text here, which no number equals"))
            #expect(result.error.hasPrefix("Warning: ") == (status == 0))
        }
    }

    @Test func `finds a condition that holds only for a while with --scan`() async throws {
        let accounts = try await Fixture().accountsKept()
        let halved = try await Tool.inApp("bisect", accounts.path, "--stream=a", "--where", "balance > 12")
        #expect(halved.status == 1)
        #expect(halved.output == "")
        #expect(
            halved.error
                == "The condition does not hold at step 8 (1 state checked). "
                + "It may hold at an earlier step: --scan checks every step.\n"
        )
        let single = try await Tool.inApp(
            "bisect", accounts.path, "--stream=a", "--where", "balance > 12", "--from=5", "--to=5")
        #expect(single.error == "The condition does not hold at step 5 (1 state checked).\n")
        let scanned = try await Tool.inApp("bisect", accounts.path, "--stream=a", "--where", "balance > 12", "--scan")
        #expect(scanned.output.hasPrefix("Step 4 is the first at which the condition holds (5 states checked).\n"))
        let nowhere = try await Tool.inApp("bisect", accounts.path, "--stream=a", "--where", "balance > 99", "--scan")
        #expect(nowhere.status == 1)
        #expect(nowhere.error == "The condition holds at no step from 0 to 8 (9 states checked).\n")
    }

    @Test func `warns if the step has a snapshot of other code, which --scan does not use`() async throws {
        let accounts = try await Fixture().accountsKept()
        try await accounts.keepOtherState(at: 4)
        let warning =
            "Warning: The snapshot of step 4 has another state than this code computes from step 3, so the states before and after it "
            + "come from different code. `verify` compares them; `bisect --where … --scan` uses no snapshot after the first step of the "
            + "search.\n"
        let halved = try await Tool.inApp("bisect", accounts.path, "a", "--where", "balance > 50")
        #expect(halved.status == 0)
        #expect(halved.output.hasPrefix("Step 4 is the first at which the condition holds ("))
        #expect(halved.error == warning)
        let asked = try await Tool.inApp("bisect", "run", accounts.path, "a", #"grep -q '"balance":1[03]\?[,}]'"#)
        #expect(asked.output.hasPrefix("Step 4 is the first whose state is bad"), "\(asked)")
        let scanned = try await Tool.inApp("bisect", accounts.path, "a", "--where", "balance > 50", "--scan")
        #expect(scanned.status == 1, "this code never computes it")
        #expect(try await Tool.inApp("verify", accounts.path, "a").status == 3)
        // No snapshot of this step, or an equal one.
        let later = try await Tool.inApp("bisect", accounts.path, "a", "--where", "answers contains \"yes\"")
        #expect(later.error == "")
        let equal = try await Fixture().accountsKept(snapshots: SnapshotPolicy(everySteps: 5, onClose: true))
        #expect(try await Tool.inApp("bisect", equal.path, "a", "--where", "balance < 0").error == "")
    }

    @Test func `warns if a base replaces what the step did`() async throws {
        let accounts = try await Fixture().accountsKept()
        try await accounts.keepOtherState(at: 4)
        try accounts.fixture.change("UPDATE snapshot SET is_base = 1", in: accounts.path)
        for how in [[], ["--scan"]] {
            let result = try await Tool.run(
                program: Tool.app, ["bisect", accounts.path, "a", "--where", "balance > 50"] + how)
            #expect(result.output.hasPrefix("Step 4 is the first at which"))
            #expect(result.error.contains("The base of step 4 has another state than this code computes"), "\(result)")
            #expect(result.error.contains("Its state counts: it is what the code before it had computed."))
        }
    }

    @Test func `does not call a step the first with which the search begins`() async throws {
        let accounts = try await Fixture().accountsKept()
        for (how, count) in [([], 2), (["--scan"], 1)] as [([String], Int)] {
            let line = ["bisect", accounts.path, "a", "--where", "balance < 0", "--from=6"] + how
            let result = try await Tool.run(program: Tool.app, line)
            #expect(result.status == 0)
            let looks = Quantity.counted(count, "state", "states")
            #expect(
                result.output
                    == "The condition holds already at step 6, where the search begins (\(looks) checked).\n")
            let json = try await Tool.run(program: Tool.app, line + ["--json"])
            let object = try #require(try objects(json.output).first)
            #expect(object["step"] as? Int == 6)
            #expect(object["first"] as? Bool == false)
            #expect(object["action"] is NSNull)
        }
        let first = try await Tool.inApp("bisect", accounts.path, "a", "--where", "balance < 0", "--from=5", "--json")
        #expect(try #require(try objects(first.output).first)["first"] as? Bool == false)
        let later = try await Tool.inApp("bisect", accounts.path, "a", "--where", "balance < 0", "--from=4", "--json")
        #expect(try #require(try objects(later.output).first)["first"] as? Bool == true)
    }

    @Test func `tells that the entries before the step were pruned`() async throws {
        let accounts = try await Fixture().accountsKept()
        #expect(try await Tool.inApp("snapshot", accounts.path, "a", "--at=7", "--yes").status == 0)
        #expect(try await Tool.run("prune", accounts.path, "a", "--before=8", "--yes").status == 0)
        let result = try await Tool.inApp("bisect", accounts.path, "a", "--where", "balance < 0")
        #expect(
            result.output
                == "The condition holds already at step 7, where the search begins: the entries up to it were pruned (2 "
                + "states checked).\n")
        #expect(result.error == "")
        let from = try await Tool.inApp("bisect", accounts.path, "a", "--where", "balance < 0", "--from=2")
        #expect(from.output == result.output)
        #expect(from.error == "The entries up to step 7 were pruned: the search begins there.\n")
        let asked = try await Tool.inApp("bisect", "run", accounts.path, "a", "! grep -q '\"balance\":-'")
        #expect(
            asked.output
                == "The state is bad already at step 7, where the search begins: the entries up to it were pruned (2 "
                + "states tested).\n")
        let early = try await Tool.inApp("bisect", accounts.path, "a", "--where", "balance < 0", "--to=6")
        #expect(early.status == 66)
        #expect(early.error.contains("step 6: The entries up to step 7 were pruned: no state of a step before it "))
    }

    @Test func `reports a wrong path if nothing was found`() async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.inApp("bisect", accounts.path, "--stream=a", "--where", "balnce < 0")
        #expect(result.status == 1)
        #expect(result.error.contains("There is no 'balnce' in the state. Did you mean 'balance'?"))
        let far = try await Tool.inApp("bisect", accounts.path, "--stream=a", "--where", "balance < 0", "--to=9")
        #expect(far.status == 66)
        #expect(
            far.error
                == "Error: \(accounts.path), stream 'a', step 9: The stream ends at step 8. Choose an existing step. "
                + "[no-such-step]\n")
        let late = try await Tool.inApp("bisect", accounts.path, "--stream=a", "--where", "balance < 0", "--from=9")
        #expect(late == far)
    }

    @Test func `writes one JSON object with the keys that its help lists`() async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.inApp(
            "bisect", "--json", accounts.path, "--stream=a", "--where", "balance < 0", "--from=2", "--to=6")
        #expect(try keys(ofFirstLine: result.output) == Command.bisect.keys.map(\.name))
        let object = try #require(try objects(result.output).first)
        #expect(object["step"] as? Int == 5)
        #expect(object["scanned"] as? Bool == false)
        #expect((object["action"] as? [String: Any])?.keys.first == "add")
        let none = try await Tool.inApp("bisect", "--json", accounts.path, "--stream=a", "--where", "balance > 99")
        #expect(none.status == 1)
        #expect(try #require(try objects(none.output).first)["step"] is Int == false)
    }

    @Test(arguments: [
        ([], "A condition is missing, such as --where 'balance < 0'."),
        (
            ["--where", "balance 0"],
            "'balance 0' is not a condition: an operator such as == or && is expected, at character 9."
        ),
        (["--where", "< 0"], "'< 0' is not a condition: a path is expected, at character 1."),
        (["--where", "balance <"], "'balance <' is not a condition: a value is expected, at character 10."),
        (["--where", "a..b == 1"], "'a..b == 1' is not a condition: a name or a number is missing, at character 1."),
        (["--where", "balance", "--from=7", "--to=2"], "There are no steps from 7 to 2 in the stream 'a' of /"),
        (["--where", "balance", "--to=2", "--without=3"], "'--without 3' changes nothing: it comes after step 2."),
    ])
    func `reports wrong arguments`(line: [String], message: String) async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.run(program: Tool.app, ["bisect", accounts.path, "--stream=a"] + line)
        #expect(result.status == 64)
        #expect(result.error.hasPrefix("Error: \(message)"), "\(result.error)")
    }
}

@Suite struct `bisect run` {
    @Test func `finds the first step whose state the command calls bad`() async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.inApp(
            "bisect", "run", accounts.path, #"echo "out"; ! grep -q '"balance":-' "$JOURNAL_STATE""#, "--stream=a")
        #expect(result.status == 0)
        #expect(
            result.output == """
                Step 5 is the first whose state is bad (4 states tested).
                2025-01-01T00:00:08.000000Z  {"add":{"_0":-20}}

                """)
        #expect(result.error.hasPrefix("out\nStep 8: bad\nout\nStep 3: good\n"))
    }

    @Test func `finds a state that is bad only for a while with --scan`() async throws {
        let accounts = try await Fixture().accountsKept()
        let command = #"! grep -q '"balance":13'"#
        let halved = try await Tool.inApp("bisect", "run", accounts.path, "a", command)
        #expect(halved.status == 1)
        #expect(halved.error.contains("The state after step 8 is good (1 state tested). An earlier state may be bad"))
        let scanned = try await Tool.inApp("bisect", "run", accounts.path, "a", command, "--scan")
        #expect(scanned.status == 0)
        #expect(scanned.output.hasPrefix("Step 4 is the first whose state is bad (5 states tested).\n"), "\(scanned)")
        let json = try await Tool.inApp("bisect", "run", accounts.path, "a", command, "--scan", "--json")
        #expect(try #require(try objects(json.output).first)["scanned"] as? Bool == true)
        let nowhere = try await Tool.inApp("bisect", "run", accounts.path, "a", "exit 0", "--scan")
        #expect(nowhere.status == 1)
        #expect(nowhere.error.hasSuffix("No state from step 0 to 8 is bad (9 states tested).\n"), "\(nowhere.error)")
        let partly = try await Tool.inApp(
            "bisect", "run", accounts.path, "a", "[ $JOURNAL_STEP -lt 3 ] && exit 125; exit 0", "--scan")
        #expect(
            partly.error.hasSuffix("No state from step 0 to 8 is bad (6 states tested). 3 others cannot be tested.\n"),
            "\(partly.error)")
    }

    @Test func `gives the command the state, the step and the stream`() async throws {
        let accounts = try await Fixture().accountsKept()
        let command = #"cmp -s - "$JOURNAL_STATE" && [ "$JOURNAL_STREAM" = a ] && [ "$JOURNAL_STEP" -lt 4 ]"#
        let result = try await Tool.inApp("bisect", "run", "--json", accounts.path, command, "--stream=a")
        #expect(try keys(ofFirstLine: result.output) == Command.bisectRun.keys.map(\.name))
        let object = try #require(try objects(result.output).first)
        #expect(object["step"] as? Int == 4)
        #expect((object["action"] as? [String: Any])?.keys.first == "both")
    }

    @Test func `names the steps that it cannot tell apart`() async throws {
        let accounts = try await Fixture().accountsKept()
        let command = "[ $JOURNAL_STEP -lt 3 ] && exit 0; [ $JOURNAL_STEP -lt 6 ] && exit 125; exit 1"
        let result = try await Tool.inApp("bisect", "run", accounts.path, command, "--stream=a")
        #expect(result.status == 1)
        #expect(result.output == "")
        #expect(result.error.contains("The first bad step is one of 3 to 6; those before the last cannot be tested"))
        let json = try await Tool.inApp("bisect", "run", "--json", accounts.path, command, "--stream=a")
        #expect(try #require(try objects(json.output).first)["candidates"] as? [Int] == [3, 6])
        let part = try await Tool.inApp("bisect", "run", accounts.path, command, "--stream=a", "--from=3")
        #expect(part.error.contains("It can also be before step 3, where the search begins."), "\(part.error)")
    }

    @Test(arguments: [
        (
            "exit 0",
            "The state after step 8 is good (1 state tested). An earlier state may be bad: --scan tests every step.\n"
        ),
        ("exit 125", "No state can be tested (9 states tried).\n"),
        (
            "[ $JOURNAL_STEP -gt 5 ] && exit 125; exit 0",
            "The state after step 5 is good (4 states tested). The steps after it, up to 8, cannot be tested. "
                + "An earlier state may be bad: --scan tests every step.\n"
        ),
        ("exit 130", "step 8: The command ended with status 130."),
        ("kill -9 $$", "step 8: The command ended with status 137."),
        ("no-such-command-at-all", "Step 8: bad (status 127: is there such a command?)\n"),
    ])
    func `explains why no step was found`(command: String, message: String) async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.inApp("bisect", "run", accounts.path, command, "--stream=a")
        #expect(result.error.contains(message))
        if !message.hasPrefix("Step") { #expect(result.status == 1) }
    }

    @Test(arguments: ["", "trap 'exit 1' INT; "])
    func `ends at Control-C, which ends the command, and leaves no file`(trap: String) async throws {
        let accounts = try await Fixture().accountsKept()
        // The keys send the signal to both.
        let command = trap + "kill -INT $PPID; kill -INT $$; exit 1"
        let result = try await Tool.inApp(
            "bisect", "run", accounts.path, command, "--stream=a", environment: ["TMPDIR": accounts.fixture.folder])
        #expect(result.status == -SIGINT, "\(result)")
        #expect(!result.output.contains("is the first"))
        let files = try FileManager.default.contentsOfDirectory(atPath: accounts.fixture.folder)
        #expect(!files.contains { $0.hasPrefix("journal-state-") }, "\(files)")
    }

    @Test func `passes SIGTERM on to the command, and leaves no file`() async throws {
        let accounts = try await Fixture().accountsKept()
        // The signal goes to the tool alone.
        let result = try await Tool.inApp(
            "bisect", "run", accounts.path, "kill -TERM $PPID; exec sleep 60", "--stream=a",
            environment: ["TMPDIR": accounts.fixture.folder])
        #expect(result.status == -SIGTERM, "\(result)")
        let files = try FileManager.default.contentsOfDirectory(atPath: accounts.fixture.folder)
        #expect(!files.contains { $0.hasPrefix("journal-state-") }, "\(files)")
    }

    @Test(arguments: [("TERM", SIGTERM), ("INT", SIGINT), ("HUP", SIGHUP)])
    func `passes a signal on to all processes of the command`(name: String, number: Int32) async throws {
        let accounts = try await Fixture().accountsKept()
        // The shell waits for a process, which sends the signal to the tool alone.
        let command =
            #"sh -c 'trap "echo the end >&2; exit" \#(name); kill -\#(name) $1; "#
            + "for n in 1 2 3 4 5 6 7 8 9; do sleep 1; done' sh $PPID; exit 1"
        // Then it is not in the foreground of the terminal from which the tests may run.
        let tool = try Child(
            Tool.app, ["bisect", "run", accounts.path, command, "--stream=a"],
            environment: ["TMPDIR": accounts.fixture.folder], keepsErrors: true, hasOwnGroup: true)
        // All processes of the command have the tool's standard error, so this also waits for them.
        let outcome = tool.outcome()
        #expect(outcome.status == -number)
        #expect(outcome.errors.contains("the end"), "\(outcome.errors)")
    }

    @Test func `takes a command that begins with a dash for a command`() async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.inApp("bisect", "run", accounts.path, "--stream=a", "--", "-x")
        #expect(result.status == 64)
        #expect(result.error.contains("The shell cannot run '-x': is there such a command?"), "\(result)")
    }

    @Test func `passes the environment on as it is, and takes an empty TMPDIR for none`() async throws {
        let accounts = try await Fixture().accountsKept()
        let line =
            #"""
            X=$(printf '\377') TMPDIR= "$1" bisect run "$2" --stream=a \
            'test "$(printf %s "$X" | od -An -tx1 | tr -d " ")" = ff && case $JOURNAL_STATE in /tmp/*) ;; *) false ;; esac'
            """#
        let result = try await Tool.shell(line, Tool.app, accounts.path)
        #expect(result.error.contains("The state after step 8 is good (1 state tested)."), "\(result)")
    }

    @Test func `does not call a state bad because there is no such command`() async throws {
        let accounts = try await Fixture().accountsKept()
        let typo = try await Tool.inApp("bisect", "run", accounts.path, "no-such-command-at-all", "--stream=a")
        #expect(typo.status == 64)
        #expect(typo.output == "")
        #expect(typo.error.contains("The shell cannot run 'no-such-command-at-all': is there such a command?"))
        let forgotten = try await Tool.inApp("bisect", "run", accounts.path, "a")
        #expect(forgotten.status == 64)
        #expect(forgotten.error.contains("COMMAND is missing: 'a' is a stream."))
    }

    @Test func `finds the first bad step of any range, whatever cannot be tested`() {
        for count in 1...9 {
            for first in 1...(count + 1) {
                for mask in 0..<(1 << count) {
                    let skips = Set((1...count).filter { mask & 1 << ($0 - 1) != 0 })
                    let outcome = Bisection.run(in: 1...count) { step in
                        skips.contains(step) ? .skipped : step < first ? .good : .bad
                    }
                    let tested = (1...count).filter { !skips.contains($0) }
                    let bad = tested.first { $0 >= first }
                    let before = tested.last { $0 < first } ?? 0
                    let expected: Bisection.Outcome =
                        if let bad { before + 1 == bad ? .first(bad) : .oneOf(before + 1...bad) } else {
                            tested.last.map { .allGood(upTo: $0) } ?? .untestable
                        }
                    #expect(outcome == expected, "\(count) steps, bad from \(first), skipped \(skips.sorted())")
                    var scan = Bisection.Scan()
                    for step in 1...count {
                        let verdict: Bisection.Verdict = skips.contains(step) ? .skipped : step < first ? .good : .bad
                        guard scan.note(verdict, at: step) else { break }
                    }
                    #expect(scan.outcome == expected, "\(count) steps, bad from \(first), skipped \(skips.sorted())")
                }
            }
        }
    }
}
