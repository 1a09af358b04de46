import Foundation
import Testing

@testable import JournalReplayKit
@testable import JournalStore

@Suite struct `snapshots, snapshot, prune, migrate` {
    @Test func `snapshots lists all snapshots`() async throws {
        let accounts = try await Fixture().accountsKept(snapshots: SnapshotPolicy(everySteps: nil, onClose: true))
        let result = try await Tool.run("snapshots", accounts.path)
        #expect(result.status == 0)
        try #require(result.lines.count == 3)
        #expect(result.lines[0] == "STREAM  STEP  KIND   VERSION  TIME                         BYTES")
        #expect(result.lines[1].hasPrefix("a          8  cache        1  2025-01-01T00:"))
        let json = try await Tool.run("snapshots", "--json", accounts.path, "--stream", "b")
        #expect(try keys(ofFirstLine: json.output) == Command.snapshots.keys.map(\.name))
        #expect(try objects(json.output).map { $0["step"] as? Int } == [1])
        let without = try await Fixture().accountsKept()
        let none = try await Tool.run("snapshots", without.path)
        #expect(none == Tool.Result(status: 0, output: "", error: "There is no snapshot.\n"))
    }

    @Test func `snapshot takes and drops a snapshot only with --yes`() async throws {
        let accounts = try await Fixture().accountsKept()
        let would = try await Tool.inApp("snapshot", accounts.path, "--stream=a", "--at=5")
        #expect(would.status == 0)
        #expect(would.output.hasPrefix("Would save a snapshot of step 5 of the stream 'a' ("))
        #expect(would.output.hasSuffix("Nothing was changed; add --yes to do it.\n"))
        #expect(try JournalReader(path: accounts.path).snapshotSteps(in: "a").isEmpty)
        let done = try await Tool.inApp("snapshot", accounts.path, "--stream=a", "--at=5", "--yes")
        #expect(done.output.hasPrefix("Saved a snapshot of step 5 of the stream 'a' ("))
        #expect(try JournalReader(path: accounts.path).snapshotSteps(in: "a") == [5])
        #expect(try await Tool.inApp("verify", accounts.path).status == 0)
        // More snapshots than the retention of the app would keep.
        for step in [1, 2, 3, 4, 6] {
            #expect(try await Tool.inApp("snapshot", accounts.path, "--stream=a", "--at=\(step)", "--yes").status == 0)
        }
        #expect(try JournalReader(path: accounts.path).snapshotSteps(in: "a") == [1, 2, 3, 4, 5, 6])
        // The snapshot holds the state.
        let state = try await Tool.run("state", accounts.path, "--stream=a", "--at=5", "--path=balance")
        #expect(state.output == "-7\n")

        let drop = try await Tool.run("snapshot", accounts.path, "--stream=a", "--drop=5")
        #expect(drop.output.hasPrefix("Would drop the snapshot of step 5 of the stream 'a' ("))
        let json = try await Tool.run("snapshot", "--json", accounts.path, "--stream=a", "--drop=5", "--yes")
        #expect(try keys(ofFirstLine: json.output) == Command.snapshot.keys.map(\.name))
        #expect(try JournalReader(path: accounts.path).snapshotSteps(in: "a") == [1, 2, 3, 4, 6])
        let gone = try await Tool.run("snapshot", accounts.path, "--stream=a", "--drop=5", "--yes")
        #expect(gone.status == 66)
        #expect(
            gone.error.contains(
                "stream 'a', step 5: There is no snapshot of this step. `journal-replay snapshots` lists them. ["))
        let without = try await Tool.run("snapshot", accounts.path, "--stream=a", "--yes")
        #expect(without.status == 1)
        #expect(without.error.contains("This needs the machine 'account'"))
    }

    @Test func `snapshot --all takes one of each newest state that has none, for verify to compare`() async throws {
        let accounts = try await Fixture().accountsKept()
        let before = try await Tool.inApp("verify", accounts.path)
        #expect(before.output.contains("No state was compared in 2 streams, because there is no snapshot"))
        let would = try await Tool.inApp("snapshot", accounts.path, "--all")
        #expect(would.status == 0)
        #expect(would.output.hasPrefix("Would save the settled states of 2 streams, "))
        #expect(try JournalReader(path: accounts.path).snapshotSteps(in: "a").isEmpty)
        let done = try await Tool.inApp("snapshot", accounts.path, "--all", "--yes", "--json")
        #expect(try objects(done.output).map { $0["stream"] as? String } == ["a", "b"])
        #expect(try objects(done.output).map { $0["step"] as? Int } == [8, 1])
        #expect(try JournalReader(path: accounts.path).snapshotSteps(in: "a") == [8])
        let again = try await Tool.inApp("snapshot", accounts.path, "--all", "--yes")
        #expect(
            again.output == "No snapshot is missing: there is nothing to do.\n")
        let after = try await Tool.inApp("verify", accounts.path)
        #expect(after.output.contains("2 snapshots and"))
        #expect(!after.output.contains("No state was compared"))
    }

    @Test func `snapshot --all needs a machine, excludes a stream, and goes on after a reducer that crashes`()
        async throws
    {
        let accounts = try await Fixture().accountsKept()
        #expect(
            try await Tool.run("snapshot", accounts.path, "--all").error.contains("This needs the machine 'account'"))
        #expect(try await Tool.inApp("snapshot", accounts.path, "a", "--all").status == 64)
        let fixture = try Fixture()
        let fragile = try await fixture.fragile()
        let unsettled = try await Tool.inApp("snapshot", fragile, "--all")
        #expect(unsettled.status == 0)
        #expect(unsettled.output == "No settled state lacks a snapshot: there is nothing to do.\n")
        #expect(
            unsettled.error
                == "3 streams, such as 'a', have no settled step, and so no state to save. The app settles the steps when "
                + "it opens the stream.\n")
        try fixture.change("UPDATE stream SET settled_step = head_step", in: fragile)
        let result = try await Tool.inApp("snapshot", fragile, "--all", "--yes")
        #expect(result.status == 1)
        #expect(result.output.hasPrefix("Saved the settled states of 2 streams, "))
        #expect(result.error.contains("1 stream could not be computed."))
        try fixture.execute("UPDATE snapshot SET version = 2", in: fragile)
        let other = try await Tool.inApp("snapshot", fragile, "--all", "--yes")
        #expect(other.status == 1)
        #expect(other.error.contains("2 streams, such as 'a', were written by another version of the machine"))
    }

    @Test func `snapshot refuses a stream that another version of the machine has written to`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open("count.db", .never)
        let store = try await journal.open(Machine("count", initialState: 0) { $0 += $1 }, stream: "a")
        for number in [1, 2, 3] { try await store.dispatch(number) }
        try await journal.close()
        let path = fixture.path("count.db")
        let newer = Machine<Int, Int, Void>("count", version: 2, initialState: 0) { $0 += $1 * 10 }
            .unchanged(since: 1)
        let message =
            "Version 1 of the machine 'count' has written step 3, and this is version 2: its snapshot would hide what version 1 "
            + "had computed. Use the tool of version 1, or let the app of version 2 open the stream first: that writes a base."
        for more in [[], ["--yes"]] {
            let result = await Tool.here([ReplayMachine(newer)], ["snapshot", path, "a"] + more)
            #expect(result.status == 1)
            #expect(result.output == "")
            #expect(result.error.contains(message), "\(result.error)")
        }
        #expect(try JournalReader(path: path).snapshotSteps(in: "a").isEmpty)
        // Also if only the newest snapshot is of another version.
        try await journalSnapshot(path, "3", version: 1)
        try fixture.change("UPDATE entry SET version = 2", in: path)
        let result = await Tool.here([ReplayMachine(newer)], ["snapshot", path, "a", "--at=2", "--yes"])
        #expect(result.error.contains("has written the snapshot of step 3"), "\(result.error)")
        let all = await Tool.here([ReplayMachine(newer)], ["snapshot", path, "--all"])
        #expect(all.status == 1)
        #expect(
            all.error.contains("The stream 'a' was written by another version of the machine: use the tool of that"),
            "\(all)")
        #expect(try JournalReader(path: path).snapshotSteps(in: "a") == [3])
    }

    @Test func `snapshot goes on after an opening of the new version`() async throws {
        let fixture = try Fixture()
        let path = fixture.path("count.db")
        let older = Machine<Int, Int, Void>("count", initialState: 0) { $0 += $1 }
        let newer = Machine<Int, Int, Void>("count", version: 2, initialState: 0) { $0 += $1 }.unchanged(since: 1)
        for machine in [older, newer] {
            let journal = try fixture.open("count.db", .never)
            let store = try await journal.open(machine, stream: "a")
            if machine.version == 1 { for number in [1, 2, 3] { try await store.dispatch(number) } }
            try await journal.close()
        }
        #expect(try JournalReader(path: path).snapshotSteps(in: "a") == [3])
        for more in [[], ["--yes"]] {
            let base = await Tool.here([ReplayMachine(newer)], ["snapshot", path, "a", "--at=3"] + more)
            #expect(base.status == 0)
            #expect(
                base.output
                    == "There is a snapshot of step 3 of the stream 'a' already, a base: there is nothing to do.\n")
        }
        let json = await Tool.here([ReplayMachine(newer)], ["snapshot", path, "a", "--at=3", "--yes", "--json"])
        #expect(try objects(json.output).first?["done"] as? Bool == false)
        let all = await Tool.here([ReplayMachine(newer)], ["snapshot", path, "--all", "--yes"])
        #expect(all.status == 0, "\(all)")
        for machine in [older, newer] {
            // The newer one would hide what the older one had computed for this step.
            let refused = await Tool.here([ReplayMachine(machine)], ["snapshot", path, "a", "--at=2", "--yes"])
            #expect(
                refused.status == 1 && refused.error.contains("would hide what an older version had computed"),
                "\(refused)")
        }
        let prune = await Tool.here([ReplayMachine(newer)], ["prune", path, "a", "--before=3", "--yes"])
        #expect(prune.error.contains("There is nothing to remove before the app has added a step."), "\(prune)")
        // A message has the version that its sender knew.
        let journal = try fixture.open("count.db", .never)
        let (sender, stream) = (
            try await journal.openStream("b", machine: "m"), try await journal.openStream("a", machine: "count")
        )
        try await sender.append("1")
        let cause = Cause(stream: sender.id, step: 1)
        var batch = Batch(entries: [NewEntry(stream: stream.id, action: "4", origin: .machine, cause: cause)])
        batch.settled = [stream.id: 4]
        _ = try await journal.commit(batch)
        try await journal.close()
        let message = await Tool.here([ReplayMachine(newer)], ["snapshot", path, "a", "--yes"])
        #expect(message.status == 0, "\(message)")
        #expect(message.output.hasPrefix("Saved a snapshot of step 4"), "\(message)")
    }

    @Test func `snapshot takes the last settled step, and refuses a later one`() async throws {
        let accounts = try await Fixture().accountsKept()
        try accounts.fixture.change("UPDATE stream SET settled_step = 5 WHERE name = 'a'", in: accounts.path)
        let late = try await Tool.inApp("snapshot", accounts.path, "a", "--at=6", "--yes")
        #expect(late.status == 1)
        #expect(late.output == "")
        #expect(late.error.contains("step 6: This step is not settled: the last settled step is 5."), "\(late.error)")
        #expect(try JournalReader(path: accounts.path).snapshotSteps(in: "a").isEmpty)
        let done = try await Tool.inApp("snapshot", accounts.path, "a", "--yes")
        #expect(done.output.hasPrefix("Saved a snapshot of step 5 "), "\(done)")
        #expect(try JournalReader(path: accounts.path).snapshotSteps(in: "a") == [5])
        try accounts.fixture.change("UPDATE stream SET settled_step = 0 WHERE name = 'b'", in: accounts.path)
        let none = try await Tool.inApp("snapshot", accounts.path, "b", "--yes")
        #expect(none.status == 1)
        #expect(none.error.contains("No step of the stream is settled."), "\(none.error)")
    }

    @Test(arguments: ["--at=0", "--at=2020-01-01"])
    func `snapshot refuses the state before the first step`(place: String) async throws {
        let accounts = try await Fixture().accountsKept()
        for more in [[], ["--yes"]] {
            let result = try await Tool.run(program: Tool.app, ["snapshot", accounts.path, "a", place] + more)
            #expect(result.status == 66)
            #expect(result.output == "")
            let sentence = "stream 'a', step 0: This is the state before the first step, of which there is no snapshot."
            #expect(result.error.contains(sentence), "\(result.error)")
        }
        #expect(try JournalReader(path: accounts.path).snapshotSteps(in: "a").isEmpty)
    }

    @Test func `a step that prune removed cannot be left out of a replay`() async throws {
        let accounts = try await Fixture().accountsKept()
        #expect(try await Tool.inApp("snapshot", accounts.path, "a", "--at=5", "--yes").status == 0)
        #expect(try await Tool.run("prune", accounts.path, "a", "--before=7", "--yes").status == 0)
        let sentence = "step 3: The entries up to step 5 were pruned, so this step cannot be left out."
        for line in [["state", accounts.path, "a"], ["diff", accounts.path, "a", "6", "8"]] {
            let result = try await Tool.run(program: Tool.app, line + ["--without=3"])
            #expect(result.status == 66)
            #expect(result.error.contains(sentence), "\(result)")
        }
    }

    private func journalSnapshot(_ path: String, _ state: String, version: Int) async throws {
        let journal = try Journal(path: path)
        try await journal.openStream("a", machine: "count").saveSnapshot(state, at: 3, version: version)
        try await journal.close()
    }

    @Test func `prune removes the entries up to a base, which cannot be dropped`() async throws {
        let accounts = try await Fixture().accountsKept()
        let none = try await Tool.run("prune", accounts.path, "--stream=a", "--before=6")
        #expect(none.status == 66)
        #expect(none.error.contains("No snapshot before this step can replace removed entries"))
        #expect(try await Tool.inApp("snapshot", accounts.path, "--stream=a", "--at=5", "--yes").status == 0)
        let would = try await Tool.run("prune", accounts.path, "--stream=a", "--before=7")
        #expect(
            would.output
                == "Would remove 5 entries up to step 5 of the stream 'a': the newest snapshot before step 7 is of step 5. "
                + "Nothing was changed; add --yes to do it.\n")
        let most = try await Tool.run("prune", accounts.path, "--stream=a", "--before=1000000")
        #expect(most.output.contains("the newest snapshot before step 8 is of step 5."), "\(most)")
        let done = try await Tool.run("prune", "--json", accounts.path, "--stream=a", "--before=7", "--yes")
        #expect(try keys(ofFirstLine: done.output) == Command.prune.keys.map(\.name))
        #expect(try objects(done.output).first?["removed"] as? Int == 5)
        #expect(try await Tool.run("log", accounts.path, "--stream=a").lines.count == 4)
        let again = try await Tool.run("prune", accounts.path, "--stream=a", "--before=7")
        #expect(
            again.output
                == "Nothing to remove in the stream 'a': the newest snapshot before step 7 is of step 5. "
                + "The entries up to that step were removed before. Nothing was changed.\n")
        #expect(try await Tool.run("prune", accounts.path, "--stream=a", "--before=7", "--yes") == again)
        for step in [3, 5] {
            let earlier = try await Tool.run("prune", accounts.path, "--stream=a", "--before=\(step)")
            #expect(
                earlier.output
                    == "Nothing to remove in the stream 'a': its base is of step 5, which is not before step \(step). "
                    + "Nothing was changed.\n")
        }
        let copy = accounts.fixture.path("damaged.db")
        try FileManager.default.copyItem(atPath: accounts.path, toPath: copy)
        try accounts.fixture.execute("UPDATE snapshot SET state = 'x' WHERE stream = 1 AND step = 5", in: copy)
        let damaged = try await Tool.inApp("state", copy, "--stream=a", "--at=6")
        #expect(damaged.status == 65)
        #expect(
            damaged.error.contains("step 5: ") && damaged.error.contains("restore a backup. [corrupt"), "\(damaged)")
        let step = try await Tool.inApp("show", copy, "--stream=a", "7")
        #expect(step.output.contains("Run `replay-app verify`"), "\(step)")
        let base = try await Tool.run("snapshot", accounts.path, "--stream=a", "--drop=5", "--yes")
        #expect(base.status == 1)
        #expect(base.error.contains("The snapshot is a base"))
        #expect(try await Tool.inApp("verify", accounts.path).status == 0)
        let before = try await Tool.inApp("state", accounts.path, "--stream=a", "--at=3")
        #expect(before.status == 66)
        #expect(before.error.contains("The entries up to step 5 were pruned"))
        let outside = try await Tool.run("state", accounts.path, "--stream=a", "--at=3")
        #expect(outside.status == 66)
        #expect(outside.error.contains("The entries up to step 5 were pruned"))
        #expect(try await Tool.run("show", accounts.path, "3", "--stream=a").error.contains("The entry was pruned."))
        for line in [["--before=0"], []] {
            #expect(try await Tool.run(program: Tool.path, ["prune", accounts.path, "--stream=a"] + line).status == 64)
        }
    }

    @Test func `prune changes nothing if live effects need all entries`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open("kept.db", .never)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append(contentsOf: (1...4).map { "\($0)" })
        var batch = Batch()
        batch.runs = [EffectRun(stream: stream.id, step: 3, ordinal: 0, rootStep: 3, name: "x", status: .running)]
        batch.settled = [stream.id: 4]
        _ = try await journal.commit(batch)
        try await stream.saveSnapshot("{}", at: 3)
        try await journal.close()
        let path = fixture.path("kept.db")
        for more in [[], ["--yes"]] {
            let result = try await Tool.run(program: Tool.path, ["prune", path, "a", "--before=4"] + more)
            #expect(result.status == 0)
            #expect(
                result.output
                    == "Nothing to remove in the stream 'a': the newest snapshot before step 4 is of step 3. "
                    + "3 entries up to that step are kept for live effects. Nothing was changed.\n")
        }
        let json = try await Tool.run("prune", path, "a", "--before=4", "--yes", "--json")
        #expect(try objects(json.output).first?["removed"] as? Int == 0)
        #expect(try objects(json.output).first?["done"] as? Bool == false)
        #expect(try JournalReader(path: path).stream("a").prunedStep == 0)
        #expect(try JournalReader(path: path).snapshot(in: "a", atOrBefore: 3)?.isBase == false)
    }

    @Test func `migrate has nothing to do in a journal of this version`() async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.run("migrate", accounts.path)
        #expect(
            result
                == Tool.Result(
                    status: 0, output: "The schema is already version 1, the newest: there is nothing to do.\n",
                    error: "")
        )
        let json = try await Tool.run("migrate", "--json", "--yes", accounts.path)
        #expect(try keys(ofFirstLine: json.output) == Command.migrate.keys.map(\.name))
    }

    @Test(arguments: [
        ["snapshot", "--drop=8"], ["prune", "--before=8"], ["cancel", "6.0"], ["skip", "8"],
    ])
    func `are refused while an app holds the journal`(line: [String]) async throws {
        let fixture = try Fixture()
        let path = try await fixture.accounts(snapshots: SnapshotPolicy(everySteps: 2, onClose: true))
        let journal = try Journal(path: path)
        var words = line
        words.insert(path, at: 1)
        if line[0] == "snapshot" { words[2] = "--drop=\(try journal.reader.snapshotSteps(in: "a")[0])" }
        let result = try await Tool.run(program: Tool.path, words + ["--stream=a", "--yes"])
        #expect(result.status == 1)
        #expect(result.output == "")
        #expect(!result.error.isEmpty)
        if ["snapshot", "prune"].contains(line[0]) {
            #expect(result.error.contains("[in-use"), "\(result.error)")
            #expect(
                result.error.contains(
                    "A journal has one writing process: wait for that one, or end it. If it is an app, `journal-replay cancel`, `retry`, "
                        + "`release` and `skip` act through it. Every command that only reads works meanwhile."))
        }
        try await journal.close()
    }

    @Test func `a damaged snapshot is listed, and can be dropped unless it is a base`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.accounts()
        let taken = try await Tool.inApp("snapshot", path, "a", "--yes")
        #expect(taken.status == 0)
        try fixture.execute("UPDATE snapshot SET version = version + 1 WHERE stream = 1 AND NOT is_base", in: path)
        let verified = try await Tool.run("verify", path)
        #expect(verified.status == 65)
        #expect(
            verified.lines.last
                == "Nothing is lost: such a snapshot only saves time. `snapshot FILE STREAM --drop STEP --yes` removes it."
        )
        let listed = try await Tool.run("snapshots", path, "a")
        #expect(listed.status == 65)
        #expect(listed.output.contains("8  cache, damaged"), "\(listed.output)")
        #expect(
            listed.error.contains(
                "`journal-replay snapshot \(ShellWord.quoted(path)) --stream=a --drop=8 --yes` removes it."))
        let inApp = try await Tool.inApp("snapshots", path, "a")
        #expect(
            inApp.error.contains(
                "`replay-app snapshot \(ShellWord.quoted(path)) --stream=a --drop=8 --yes` removes it."))
        #expect(try await Tool.run("snapshot", path, "a", "--drop=8", "--yes").status == 0)
        #expect(try await Tool.run("verify", path).status == 0)
    }

    @Test(arguments: ["--before=2", "--before=100"])
    func `prune tells that no step is settled`(before: String) async throws {
        let fixture = try Fixture()
        let result = try await Tool.run("prune", try await fixture.fragile(), "a", before)
        #expect(result.status == 66)
        #expect(
            result.error.contains("No step is settled. The app settles them when it opens the stream."), "\(result)")
        #expect(!result.error.contains("later step"))
    }

    @Test func `prune tells who can take the missing snapshot`() async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.run("prune", accounts.path, "a", "--before=6", "--yes")
        #expect(
            result.error.contains(
                "Take one first: `journal-replay snapshot \(ShellWord.quoted(accounts.path)) --stream=a --at=5 --yes`. It needs the machine in the version "
                    + "that opened the stream last: after an upgrade, let the app open the stream first, which writes a base. It is refused "
                    + "while an app writes."
            ),
            "\(result.error)")
    }

    @Test func `prune is refused while an app writes, also if there is no snapshot`() async throws {
        let accounts = try await Fixture().accountsKept()
        let journal = try Journal(path: accounts.path)
        let held = try await Tool.run("prune", accounts.path, "a", "--before=6", "--yes")
        #expect(held.status == 1)
        #expect(held.error.contains("[in-use"), "\(held.error)")
        #expect(!held.error.contains("Take one first"), "\(held.error)")
        // Without --yes it only reports, and nothing is written.
        let report = try await Tool.run("prune", accounts.path, "a", "--before=6")
        #expect(report.status == 66)
        #expect(report.error.contains("Take one first"), "\(report.error)")
        try await journal.close()
    }

    @Test func `prune tells that a stream has only one step`() async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.run("prune", accounts.path, "b", "--before=9")
        #expect(result.status == 66)
        #expect(
            result.error.contains("The stream has only one step, and the newest entry always stays."),
            "\(result.error)")
        #expect(!result.error.contains("later step"), "\(result.error)")
    }

    @Test func `prune is named as the reason why an effect or a key is not found`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.accounts()
        let key = String(repeating: "0", count: 32)
        #expect(try await !Tool.run("find", path, key).error.contains("pruned"))
        #expect(try await Tool.inApp("snapshot", path, "a", "--at=7", "--yes").status == 0)
        #expect(try await Tool.run("prune", path, "a", "--before=8", "--yes").status == 0)
        let effect = try await Tool.run("effects", "show", path, "a", "6.0")
        #expect(effect.status == 66)
        #expect(
            effect.error
                == "Error: \(path), stream 'a', step 6: There is no effect 6.0. The entries up to step 7 were pruned, "
                + "with the records of their ended effects. [no-such-step]\n")
        #expect(try await Tool.run("effects", "show", path, "a", "8.0").error.contains("`effects --all` lists them."))
        #expect(
            try await Tool.run("find", path, key).error
                == "No dispatch ID and no idempotency key is '\(key)'. Entries were pruned, with the keys of their effects: those of "
                + "the stream 'a' up to step 7.\n")
        // Dispatch IDs are kept.
        #expect(try await !Tool.run("find", path, "order 8").error.contains("pruned"))
    }
}
