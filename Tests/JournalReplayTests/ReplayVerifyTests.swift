import Foundation
import Testing
import TortureKit

@testable import JournalReplayKit
@testable import JournalStore

@Suite struct `verify by replay` {
    @Test func `sums up faithful replays, and lists them with --verbose`() async throws {
        let accounts = try await Fixture().accountsKept(snapshots: SnapshotPolicy())
        let sound = "Sound: 2 streams, 9 entries, 2 snapshots."
        let summary = "Faithful: 2 streams, 9 steps replayed in 9 processes, 2 snapshots and 4 records compared."
        let result = try await Tool.inApp("verify", accounts.path)
        #expect(result == Tool.Result(status: 0, output: "\(sound)\n\(summary)\n", error: ""))
        let verbose = try await Tool.inApp("verify", "--verbose", accounts.path)
        #expect(
            verbose.lines == [
                sound,
                "Faithful: 'a', 8 steps replayed in 9 processes, 1 snapshot and 3 records compared.",
                "Faithful: 'b', 1 step replayed in 9 processes, 1 snapshot and 1 record compared.",
                summary,
            ])
        let single = try await Tool.inApp("verify", accounts.path, "--stream=b")
        #expect(single.lines == [sound, verbose.lines[2]])
    }

    @Test func `a named stream whose machine is unknown is an error, unless no machine was asked for`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 1)
        let name = try #require(try JournalReader(path: path).streams().first?.name)
        #expect(try await Tool.run("verify", path, name).status == 0)
        let result = try await Tool.inApp("verify", path, name)
        #expect(result.status == 1)
        #expect(result.error.contains("This needs the machine"), "\(result.error)")
        #expect(try await Tool.inApp("verify", path).status == 0)
    }

    @Test func `writes an object for each stream with --json, then the summary`() async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.inApp("verify", "--json", accounts.path)
        #expect(result.status == 0)
        try #require(result.lines.count == 3)
        #expect(try keys(ofFirstLine: result.lines[0]) == Command.verify.lines?.keys.map(\.name))
        #expect(try keys(ofFirstLine: result.lines[2]) == Command.verify.keys.map(\.name))
        #expect(try objects(result.output).compactMap { $0["stream"] as? String } == ["a", "b"])
        #expect(
            result.lines[2].hasSuffix(
                #""replayed":2,"faithful":2,"orphans":0,"olderSteps":0,"withoutState":2,"unreadable":0,"notReplayed":[]}"#
            ))
    }

    @Test func `names the stream and the step at which a reducer crashes, and replays the other streams`() async throws
    {
        let fixture = try Fixture()
        let path = try await fixture.fragile()
        let result = try await Tool.inApp("verify", path)
        #expect(result.status == 1)
        #expect(result.error.contains("The fragile machine got a negative number."))
        try #require(result.lines.count == 3, "\(result)")
        #expect(
            result.lines[1].hasPrefix(
                "Replay failed: 'b'. \(path), stream 'b', step 2: The process that replayed the stream ended with status "
            ))
        #expect(result.lines[2].hasPrefix("Not faithful: 1 of 3 streams, 3 steps replayed in 9 processes, "))
        let json = try objects(try await Tool.inApp("verify", "--json", path).output)
        #expect(json.map { $0["faithful"] as? Bool } == [true, nil, true, nil])
        #expect(json.last?["faithful"] as? Int == 2)
    }

    @Test func `prints an error that several streams have once, with their number`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open("old.db", .never)
        for name in ["a", "b", "c"] {
            try await journal.openStream(name, machine: "account").append(#"{"refund":{"_0":2}}"#)
        }
        try await journal.openStream("d", machine: "account").append(#"{"repay":{"_0":2}}"#)
        try await journal.close()
        let result = try await Tool.inApp("verify", fixture.path("old.db"))
        #expect(result.status == 65)
        let failed = result.lines.filter { $0.hasPrefix("Replay failed") }
        try #require(failed.count == 3, "\(result)")
        #expect(failed[0].hasPrefix("Replay failed: 'a'. "))
        #expect(failed[1].hasPrefix("Replay failed: 'd'. "))
        #expect(
            failed[2].hasPrefix("Replay failed: 2 other streams, such as 'b', with the same error as 'a': The action "))
        #expect(failed[2].hasSuffix(" --verbose lists each."))
        let verbose = try await Tool.inApp("verify", fixture.path("old.db"), "--verbose")
        #expect(verbose.lines.count { $0.hasPrefix("Replay failed: '") } == 4)
    }

    @Test func `counts a stream that differs as another one of its machine does`() throws {
        let written = Lock("")
        let output = Output(tool: ToolName(text: "journal-replay"), color: .never) { bytes, _ in
            written.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
            return 0
        }
        var found = VerifyFindings()
        let streams = [("a", "m", "pay"), ("b", "m", "pay"), ("c", "n", "pay"), ("d", "m", "ship"), ("e", "m", "pay")]
        var printed: [String] = []
        for (name, machine, action) in streams {
            var report = ReplayReport(stream: name, version: 1, firstStep: 0, lastStep: 3)
            report.divergence = Divergence(kind: .snapshot, step: 3, lastGood: 2, action: action, changes: [])
            let replayed = Replayed(stream: name, report: report, processes: 1)
            if !found.repeats(replayed, of: machine) { printed.append(name) }
            found.add(replayed)
        }
        #expect(printed == ["a", "c", "d"])
        try found.writeSummary(to: output)
        try output.flush()
        let text = written.withLock { $0 }
        let line =
            "Not faithful: 2 other streams, such as 'b', with a difference of the same kind (pay) as 'a'. --verbose "
            + "lists each.\n"
        #expect(text.hasPrefix(line), "\(text)")
    }

    @Test func `names the first stream with an error also if the error names none`() throws {
        let written = Lock("")
        let output = Output(tool: ToolName(text: "journal-replay"), color: .never) { bytes, _ in
            written.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
            return 0
        }
        var found = VerifyFindings()
        let error = JournalError(.inputOutput, "Another process cannot be started.")
        for name in ["a", "b", "c"] {
            let replayed = Replayed(stream: name, report: nil, processes: 1, error: error)
            let isRepeated = found.repeats(replayed, of: "m")
            #expect(isRepeated == (name != "a"))
            found.add(replayed)
        }
        try found.writeSummary(to: output)
        try output.flush()
        let text = written.withLock { $0 }
        let line =
            "Replay failed: 2 other streams, such as 'b', with the same error as 'a': "
            + "Another process cannot be started. --verbose lists each.\n"
        #expect(text.hasPrefix(line), "\(text)")
    }

    @Test func `advises to skip a step at which a reducer crashes only if the step can be skipped`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.fragile()
        let open = try await Tool.inApp("verify", path, "--stream=b")
        #expect(open.output.contains(": correct it, or leave the step out with `skip`. [crashed]"), "\(open)")
        #expect(try await Tool.run("skip", path, "b", "2").status == 0)
        try fixture.change("UPDATE stream SET settled_step = 3 WHERE name = 'b'", in: path)
        let settled = try await Tool.inApp("verify", path, "--stream=b")
        #expect(
            settled.output.contains(
                ": correct it, or continue with `fork --at 1`, a copy without this step. [crashed]"), "\(settled)")
        #expect(try await Tool.run("skip", path, "b", "2").status == 1)
        #expect(try await Tool.run("fork", path, "b", path + "-fork", "--at", "1").status == 0)
    }

    @Test func `tells that a process ends before it reduces a step`() async throws {
        let fixture = try Fixture()
        let reader = try JournalReader(path: try await fixture.fragile())
        let children = ReplayChildren(program: "/bin/sh", call: ["sh", "-c", "exit 3"])
        var verifier = try #require(StreamVerifier(children, reader))
        let replayed = try verifier.verify(reader.stream("a")) { _, _ in }
        let error = try #require(replayed.error)
        #expect(error.code == .crashed)
        #expect(error.message == "The process that replayed the stream ended with status 3.")
        #expect(error.advice.hasPrefix("It ends before it reduces a step: "), "\(error)")
    }

    @Test(arguments: [SIGTERM, SIGKILL]) func `leaves no process behind when it is ended while a reducer is busy`(
        signal: Int32
    ) async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        try await journal.openStream("a", machine: "endless").append("1")
        try await journal.close()
        // The other process writes to the same standard error, so that it has an end only when both have ended.
        let tool = try Child(
            "/bin/sh", ["-c", #"exec "$0" "$@" 2>&1 >/dev/null"#, Tool.app, "verify", fixture.path("shop.db")])
        #expect(tool.line() == "reducing")
        tool.signal(signal)
        #expect(tool.wait() == -signal)
        #expect(tool.remainingLines() == [])
    }

    @Test(arguments: ["<&-", "2>&-", "<&- 2>&-"])
    func `replays while standard streams are closed`(_ closed: String) async throws {
        let accounts = try await Fixture().accountsKept()
        for _ in 0..<3 {
            let result = try await Tool.run(
                program: "/bin/sh", ["-c", #"exec "$0" verify "$1" \#(closed)"#, Tool.app, accounts.path])
            #expect(result.status == 0, "\(result)")
            #expect(result.output.contains("Faithful: "), "\(result)")
        }
    }

    @Test func `finds a reducer that depends on the order of a set`() async throws {
        let fixture = try Fixture()
        let words = try await fixture.words(8)
        let result = try await Tool.inApp("verify", words)
        #expect(result.status == 3)
        #expect(result.error == "")
        try #require(result.lines.count > 3, "\(result)")
        #expect(result.lines[0] == "Sound: 1 stream, 8 entries, 0 snapshots.")
        #expect(result.lines[1].hasPrefix("Not faithful: 'words', 8 steps replayed in "))
        #expect(result.lines[2].contains(": another process computed a different state; expected → found."))
        #expect(result.lines.last?.hasPrefix("  The reducer is not pure: look for Date() and UUID()") == true)
        // It finds the difference each time.
        for _ in 0..<5 { #expect(try await Tool.inApp("verify", words).status == 3) }
    }

    @Test func `does not blame a new version for the order of a set, if older snapshots hold other states`()
        async throws
    {
        let fixture = try Fixture()
        let journal = try fixture.open("gathered.db", SnapshotPolicy(everySteps: 4))
        let store = try await journal.open(gathered(1), stream: "a")
        for number in 1...16 { try await store.dispatch(number) }
        try await journal.close()
        let reader = try JournalReader(path: fixture.path("gathered.db"))
        try #require(try reader.snapshotSteps(in: "a").count > 1)
        let result = try await Tool.inApp("verify", fixture.path("gathered.db"))
        #expect(result.status == 0, "\(result)")
        #expect(result.output.contains(" differences from what older code did, "), "\(result)")
        #expect(result.output.contains("16 steps replayed in 9 processes"), "\(result)")
    }

    @Test func `says once what to do about streams that differ in the same way`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open("count.db", SnapshotPolicy(everySteps: nil, onClose: true))
        for name in ["a", "b", "c"] {
            let store = try await journal.open(Machine("count", initialState: 0) { $0 += $1 }, stream: name)
            for number in [1, 2] { try await store.dispatch(number) }
            try await store.close()
        }
        try await journal.close()
        let other = Machine<Int, Int, Void>("count", initialState: 0) { $0 += $1 * 10 }
        let line = ["verify", fixture.path("count.db"), "--replay-only"]
        let result = await Tool.here([ReplayMachine(other)], line)
        #expect(result.status == 3)
        let advice = "If the code was changed, raise the machine's version."
        #expect(result.lines.count { $0.contains(advice) } == 1, "\(result.output)")
        #expect(result.lines.contains { $0.hasPrefix("'a' and 2 other streams: \(advice)") }, "\(result.output)")
        #expect(result.lines.last?.hasPrefix("Not faithful: 3 of 3 streams, ") == true)
        let one = await Tool.here([ReplayMachine(other)], line + ["--stream=b"])
        #expect(one.lines.last?.hasPrefix("  \(advice)") == true, "\(one.output)")
    }

    @Test func `says that older code differs at least as often as the report lists`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open("count.db", SnapshotPolicy(everySteps: nil, onClose: true))
        let store = try await journal.open(Machine("count", initialState: 0) { $0 += $1 }, stream: "a")
        for number in 1...ReplayReport.limit { try await store.dispatch(number) }
        try await store.close()
        try await journal.close()
        let refusing = Machine<Int, Int, Void>("count", version: 2, initialState: 0) { _, _, _ in .reject("closed") }
            .unchanged(since: 1)
        let result = await Tool.here([ReplayMachine(refusing)], ["verify", fixture.path("count.db"), "--replay-only"])
        #expect(result.status == 0, "\(result)")
        let found =
            "  At least 20 differences from what older code did, which a base replaces now or from the next "
            + "opening on; the first at step 1."
        #expect(result.lines.contains(found), "\(result.output)")
    }

    @Test func `counts streams without a snapshot also if a new version reduces their steps again`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open("count.db", .never)
        for name in ["a", "b"] {
            let store = try await journal.open(Machine("count", initialState: 0) { $0 += $1 }, stream: name)
            try await store.dispatch(1)
            try await store.close()
        }
        try await journal.close()
        let newer = Machine<Int, Int, Void>("count", version: 2, initialState: 0) { $0 += $1 }.unchanged(since: 1)
        let line = ["verify", fixture.path("count.db"), "--replay-only"]
        let result = await Tool.here([ReplayMachine(newer)], line)
        #expect(result.status == 0, "\(result)")
        #expect(result.output.contains("In 2 streams an opening reduces 2 steps of older versions again"), "\(result)")
        #expect(result.output.contains("No state was compared in 2 streams, because there is no snapshot"), "\(result)")
        let json = try objects(await Tool.here([ReplayMachine(newer)], line + ["--json"]).output)
        #expect(json.last?["olderSteps"] as? Int == 2)
        #expect(json.last?["withoutState"] as? Int == 2)
    }

    @Test func `names the step that returned another effect, and exits with 3`() async throws {
        let accounts = try await Fixture().accountsKept()
        try accounts.fixture.change(
            #"UPDATE step_record SET effects = '[{"run":"other"}]' WHERE step = 6"#, in: accounts.path)
        let result = try await Tool.inApp("verify", accounts.path, "--stream=a")
        #expect(result.status == 3)
        #expect(
            result.lines.dropFirst(2).prefix(3) == [
                "  step 6 (ask): the step returned different effects; expected → found.",
                #"    effects[0]: {"run":"other"} → {"id":{"String":"question"},"run":"ask"}"#,
                #"    + effects[1]: {"ephemeral":"told"}"#,
            ])
        let json = try await Tool.inApp("verify", "--json", accounts.path, "--stream=a")
        #expect(json.status == 3)
        let replay = try #require(try objects(json.output).first)
        let divergence = try #require(replay["divergence"] as? [String: Any])
        #expect(divergence["kind"] as? String == "effects")
        #expect(divergence["step"] as? Int == 6)
        #expect(replay["processes"] as? Int == 1)
    }

    @Test func `a newest snapshot that cannot be decoded is printed once for each reason, and exits with 65`()
        async throws
    {
        let fixture = try Fixture()
        let path = fixture.path("tally.db")
        try await keepTally(in: fixture.open("tally.db"), ["a", "b"])

        let result = await Tool.here([ReplayMachine(cappedTally)], ["verify", path, "--replay-only"])
        #expect(result.status == 65)
        let reason = "The state of version 1 cannot be decoded: no 'cap'."
        #expect(
            result.lines == [
                "Not faithful: 'a', 2 steps replayed in 1 process, 0 snapshots and 0 records compared.",
                "  An opening would begin with the snapshot of step 2 of 'a', and cannot read it: \(reason) Make a new property "
                    + "optional, give it a default in `init(from:)`, or add `renamingProperty` or `upcasting(statesFrom: 1)` "
                    + "to the machine.",
                "  This version cannot read the snapshot of step 1.",
                "Not faithful: 'b', for the same reason as 'a': \(reason) --verbose lists each.",
                "Not faithful: 2 of 2 streams, 4 steps replayed in 1 process, 0 snapshots and 0 records compared.",
                "In 2 streams an opening reduces 4 steps of older versions again, because there is no later snapshot that it can "
                    + "read, and the result counts.",
                "In 2 streams this version cannot read a snapshot; --verbose lists them.",
            ])
        let json = await Tool.here([ReplayMachine(cappedTally)], ["verify", path, "--replay-only", "--json"])
        let first = try #require(try objects(json.output).first)
        #expect((first["unreadableStart"] as? [String: Any])?["step"] as? Int == 2)
        #expect(first["olderSteps"] as? Int == 2)

        // If a newer one can be decoded, an older one is only noted.
        try fixture.change(#"UPDATE snapshot SET state = '{"count":2,"cap":9}' WHERE step = 2"#, in: path)
        let noted = await Tool.here([ReplayMachine(cappedTally)], ["verify", path, "b", "--replay-only"])
        #expect(noted.status == 0)
        #expect(noted.lines.last == "  This version cannot read the snapshot of step 1.")
    }

    @Test func `a live effect that cannot be decoded fails the replay, and exits with 65`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open("clock.db", .never)
        let store = try await journal.open(RingingClock.old, stream: "a")
        try await store.dispatch(.start)
        try await store.close()
        try await journal.close()
        let result = await Tool.here(
            [ReplayMachine(RingingClock.new)], ["verify", fixture.path("clock.db"), "--replay-only"])
        #expect(result.status == 65)
        #expect(result.lines.first?.hasPrefix("Replay failed: 'a'. ") == true, "\(result)")
        #expect(
            result.output.contains(
                "The effect 'ring' (1.0) cannot be decoded. The action 'ring' of version 1 cannot be decoded"),
            "\(result)")
    }

    /// An opening reports it, and does without the action.
    @Test func `a cancel or an orphan action that cannot be decoded fails the replay`() async throws {
        for isCancelled in [true, false] {
            let fixture = try Fixture()
            let journal = try fixture.open("clock.db", .never)
            let machine = Machine<String, Int, Void>("ring", initialState: 0) { action, count, _ in
                count += 1
                guard action == "start" else { return .none }
                return .run("ring") {
                    try await Task.sleep(for: .seconds(3_600))
                    return nil
                }
                .onCancel("cancelled").onOrphan("orphaned")
            }
            let store = try await journal.open(machine, stream: "a")
            try await store.dispatch("start")
            try await store.close()
            try await journal.close()
            let path = fixture.path("clock.db")
            if isCancelled {
                #expect(try await Tool.run("cancel", path, "a", "1.0", "--yes").status == 0)
            }
            let new = Machine<Int, Int, Void>("ring", version: 2, initialState: 0) { _, _, _ in .none }
                .upcasting(actionTextsFrom: 1) { $0 == #""start""# ? "1" : $0 }.upcasting(statesFrom: 1) { (old: Int) in
                    old
                }
            let result = await Tool.here([ReplayMachine(new)], ["verify", path, "--replay-only"])
            #expect(result.status == 65)
            let kind = isCancelled ? "cancel" : "orphan"
            #expect(
                result.output.contains("The effect 'ring' (1.0) cannot send its \(kind) action. The action"),
                "\(result)")
        }
    }

    @Test func `--strict fails only if a live effect becomes an orphan that never ends`() async throws {
        for (orphan, status, words) in [
            (nil, 3, "leaves it as an orphan, and it never ends"), ("lost", 0, "sends its `onOrphan` action"),
        ] as [(String?, Int32, String)] {
            let fixture = try Fixture()
            let journal = try fixture.open("clock.db", SnapshotPolicy())
            let machine = Machine<String, Int, Void>("ring", initialState: 0) { action, count, _ in
                count += 1
                guard action == "start" else { return .none }
                let ring = Effect<String>.run("ring") {
                    try await Task.sleep(for: .seconds(3_600))
                    return nil
                }
                return orphan.map(ring.onOrphan) ?? ring
            }
            let store = try await journal.open(machine, stream: "a")
            try await store.dispatch("start")
            try await store.close()
            try await journal.close()
            let new = Machine<String, Int, Void>("ring", version: 2, initialState: 0) { _, count, _ in
                count += 1
                return .none
            }.unchanged(since: 1)
            let line = ["verify", fixture.path("clock.db"), "--replay-only"]
            let lax = await Tool.here([ReplayMachine(new)], line)
            #expect(lax.status == 0)
            #expect(lax.output.contains("The effect 'ring' of step 1 has not ended"), "\(lax)")
            #expect(lax.output.contains(words), "\(lax)")
            let strict = await Tool.here([ReplayMachine(new)], line + ["--strict"])
            #expect(strict.status == status)
            #expect(strict.error.contains("1 live effect never ends") == (status == 3), "\(strict)")
        }
    }

    @Test func `two machines of one name are refused`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 1)
        let machines = [1, 2].map {
            Machine<Int, Int, Void>("twice", version: $0, initialState: 0) { _, _, _ in .none }
        }
        let result = await Tool.here(machines.map { ReplayMachine($0) }, ["verify", path])
        #expect(result.status == 64)
        #expect(result.error.contains("two machines with the name 'twice', of version 1 and 2"), "\(result)")
    }

    @Test func `lists the streams that it could not replay`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open("both.db")
        let store = try await journal.openStream("mine", machine: "account")
        try await store.append(#"{"add":{"_0":1}}"#)
        try await journal.openStream("other", machine: "till").append("1")
        try await journal.close()
        let result = try await Tool.inApp("verify", fixture.path("both.db"))
        #expect(result.status == 0)
        #expect(result.lines.last == "Not replayed: 'other': unknown machine 'till'.")
        let json = try await Tool.inApp("verify", "--json", fixture.path("both.db"))
        #expect(try #require(try objects(json.output).last)["notReplayed"] as? [String] == ["other"])

        let strict = try await Tool.inApp("verify", "--strict", fixture.path("both.db"))
        #expect(strict.status == 1)
        #expect(strict.output == result.output)
        #expect(strict.error.contains("'other': This needs the machine 'till' to reduce the steps; known machines: "))
        #expect(try await Tool.inApp("verify", "--strict", fixture.path("both.db"), "mine").status == 0)
        // Damage is worse.
        try fixture.execute("UPDATE entry SET time = time + 1 WHERE position = 1", in: fixture.path("both.db"))
        #expect(try await Tool.inApp("verify", "--strict", fixture.path("both.db")).status == 65)
    }

    /// As a file that was copied without its -wal file.
    @Test func `fails with --strict if there is nothing to replay`() async throws {
        let fixture = try Fixture()
        try await fixture.open("none.db").close()
        let line = ["verify", fixture.path("none.db")]
        #expect(await Tool.here([], line).status == 0)
        let strict = await Tool.here([], line + ["--strict"])
        #expect(strict.status == 66)
        #expect(strict.lines.first == "Sound: 0 streams, 0 entries, 0 snapshots.", "\(strict)")
        #expect(strict.error.contains("The journal has no stream, so nothing was replayed."), "\(strict)")
    }

    @Test func `reports all damage, even if the replay fails because of it`() async throws {
        let accounts = try await Fixture().accountsKept()
        try accounts.fixture.execute("DELETE FROM entry WHERE position = 3", in: accounts.path)
        let result = try await Tool.inApp("verify", accounts.path)
        #expect(result.status == 65)
        #expect(result.error == "")
        #expect(result.lines.first?.hasPrefix("Not sound: ") == true)
        #expect(result.output.contains("\n  stream 'a', step 2: step 3 is missing\n"), "\(result.output)")
        #expect(result.output.contains("\nReplay failed: 'a'. "))
        #expect(result.output.contains(JournalError.adviceForKnownDamage + " [corrupt]\n"), "\(result.output)")
        #expect(!result.output.contains("journal-replay verify"))
        #expect(result.output.contains("\nNot faithful: 1 of 2 streams, 1 step replayed in 9 processes, "))
        let json = try await Tool.inApp("verify", "--json", accounts.path)
        #expect(json.status == 65)
        let replays = try objects(json.output)
        #expect((replays.first?["error"] as? String)?.contains("The entry is missing") == true)
        #expect(replays.dropFirst().first?["faithful"] as? Bool == true)
        let show = try await Tool.inApp("show", accounts.path, "3", "--stream=a")
        #expect(show.status == 65)
        #expect(show.error.contains("The entry is missing."))
    }

    @Test func `reports an unknown machine`() async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.run("verify", "--replay-only", accounts.path)
        #expect(result.status == 1)
        #expect(result.error.contains("This needs the machine 'account'"))
    }

    @Test(arguments: [
        ("UPDATE effect_run SET status = 'running'", "step 6: the effect 0 is running, but has ended"),
        (
            "UPDATE step_record SET outcome = 'skipped' WHERE step = 4",
            "step 4: the step is recorded as skipped, but no intervention skipped it"
        ),
        (
            "UPDATE stream SET settled_step = 3 WHERE name = 'a'",
            "step 4: its outcome is recorded, but the step is not settled"
        ),
    ])
    func `finds records that contradict each other`(sql: String, problem: String) async throws {
        let accounts = try await Fixture().accountsKept()
        try accounts.fixture.change(sql, in: accounts.path)
        let result = try await Tool.run("verify", accounts.path)
        #expect(result.status == 65)
        #expect(result.output.contains("  stream 'a', \(problem)\n"), "\(result.output)")
    }

    @Test func `exits with the code for damage, even if a replay differs`() async throws {
        let accounts = try await Fixture().accountsKept()
        try accounts.fixture.execute("UPDATE entry SET time = time + 1 WHERE position = 1", in: accounts.path)
        #expect(try await Tool.inApp("verify", accounts.path).status == 65)
    }
}

@Suite struct `Other processes` {
    @Test(arguments: [
        (0, 8, 1), (1, 8, 1), (24, 8, 1), (2_500, 8, 200), (9_999, 2, 199), (20_000, 1, 200), (1_000_000, 1, 10_000),
    ])
    func `are more for a shorter history`(steps: Int, processes: Int, stride: Int) {
        #expect(StreamVerifier.count(steps: steps) == processes)
        #expect(StreamVerifier.stride(steps: steps) == stride)
    }

    @Test func `are started with the command line of this process`() {
        var arguments = Arguments()
        arguments.line = ["verify", "x"]
        #expect(ReplayChildren(arguments: arguments, commandLine: ["shop", "journal", "verify", "x"]) != nil)
        #expect(ReplayChildren(arguments: arguments, commandLine: ["tests"]) == nil)
    }
}
