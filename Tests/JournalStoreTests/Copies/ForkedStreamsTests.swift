import Foundation
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `The contents of a fork`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    private var fork: String { folder.path("fork.db") }

    /// Twenty steps, a snapshot after every fifth, an intervention and a dispatch ID at each end.
    ///
    /// - Parameter ended: when its effects ended; nil for now.
    private func journal(ended: Timestamp? = nil) async throws -> (Journal, JournalStream) {
        let journal = try openJournal(path, clock)
        let stream = try await journal.openStream("a", machine: "m")
        for number in 1...20 { try await stream.append("\(number)", id: number % 19 == 1 ? "id \(number)" : nil) }
        var batch = Batch()
        batch.steps = [2, 18].map { StepRecord(stream: stream.id, step: $0, effects: "[]") }
        batch.runs = [3, 17].map {
            EffectRun(
                stream: stream.id, step: $0, ordinal: 0, rootStep: $0, name: "x", status: .completed, attempts: 1,
                ended: ended ?? clock.wallClock())
        }
        batch.remembered = [3, 17].map {
            RememberedStep(stream: stream.id, step: $0, ordinal: 0, path: "", name: "s", use: 1, result: "1")
        }
        batch.queues = [QueueMemory(stream: stream.id, key: "q", policy: "{}", lastStart: nil)]
        batch.interventions = [
            stream.id: [4, 16].map { Intervention(act: .skip, step: $0, time: clock.wallClock()) }
        ]
        batch.settled = [stream.id: 20]
        batch.crashLoops = [stream.id: "{}"]
        _ = try await journal.commit(batch)
        for step in [5, 10, 15, 20] { try await stream.saveSnapshot("\(step)", at: step) }
        return (journal, stream)
    }

    @Test func `a fork leaves out everything after its step, in every table`() async throws {
        let (journal, _) = try await journal()
        _ = try await journal.openStream("b", machine: "m").append("other")
        try await journal.reader.fork("a", at: 10, to: fork)
        try await journal.close()
        for (table, steps) in [
            ("entry", Array(1...10)), ("step_record", [2]), ("dispatch_id", [1]), ("snapshot", [5, 10]),
            ("effect_run", [3]),
            ("effect_step", [3]), ("intervention", [4]),
        ] {
            #expect(try sql("SELECT step FROM \(table) ORDER BY step", fork) == steps.map { "\($0)" }, "\(table)")
        }
        #expect(try sql("SELECT name, head_step, settled_step, crash_loop IS NULL FROM stream", fork) == ["a|10|10|1"])
        #expect(try sql("SELECT count(*) FROM effect_queue", fork) == ["1"])
        #expect(try JournalReader(path: fork).verify().problems == [])
        #expect(try sql("PRAGMA freelist_count", fork) == ["0"])
    }

    @Test func `a fork of a pruned stream needs a step that was not pruned`() async throws {
        let ended = clock.wallClock()
        clock.move(by: .seconds(1))
        let (journal, _) = try await journal(ended: ended)
        try await journal.prune("a", before: 13)
        for (step, fine) in [(0, false), (9, false), (10, true), (11, true), (20, true), (21, false)] {
            let target = folder.path("fork-\(step).db")
            let error = await journalError { try await journal.reader.fork("a", at: step, to: target) }
            #expect(error?.code == (fine ? nil : .noSuchStep))
            guard fine else {
                #expect(!FileManager.default.fileExists(atPath: target))
                continue
            }
            let reader = try JournalReader(path: target)
            #expect(try reader.verify().problems == [])
            #expect(try reader.stream("a").headStep == step)
            #expect(
                try reader.stream("a").headDigest == reader.snapshot(in: "a", atOrBefore: step)?.digest || step == 11)
            let forked = try Journal(path: target)
            #expect(try await forked.openStream("a", machine: "m").append("new").step == step + 1)
            #expect(try await forked.verify().problems == [])
            try await forked.close()
        }
        try await journal.close()
    }

    @Test func `a fork keeps a stream that sent it messages as an empty stream with another name`() async throws {
        let (journal, stream) = try await journal()
        let till = try await journal.openStream("till", machine: "till")
        let bank = try await journal.openStream("bank", machine: "bank")
        for step in 1...2 {
            let cause = Cause(stream: stream.id, step: step)
            let entry = NewEntry(stream: till.id, action: "\(step)", origin: .machine, cause: cause)
            _ = try await journal.commit(Batch(entries: [entry]))
        }
        try await bank.append("1")
        try await journal.reader.fork("till", at: 1, to: fork)
        try await journal.close()
        let streams = "SELECT id, name, head_step FROM stream ORDER BY id"
        #expect(try sql(streams, fork) == ["1|a (before the fork)|0", "2|till|1"])
        #expect(try JournalReader(path: fork).verify().problems == [])
        #expect(try JournalReader(path: fork).entries(in: "till").map(\.causeStream) == ["a (before the fork)"])

        // A new stream with the old name is another stream.
        let forked = try openJournal(fork, clock)
        let again = try await forked.openStream("a", machine: "m")
        #expect(again.id != stream.id)
        let entry = NewEntry(stream: till.id, action: "1", origin: .machine, cause: Cause(stream: again.id, step: 1))
        let receiver = try await forked.openStream("till", machine: "till")
        try await again.append("1")
        #expect(try await forked.commit(Batch(entries: [entry])).map(\.step) == [2])
        withExtendedLifetime(receiver) {}
        #expect(try await forked.verify().problems == [])
        let twice = folder.path("twice.db")
        try await forked.reader.fork("till", at: 2, to: twice)
        try await forked.close()
        #expect(
            try sql(streams, twice) == ["1|a (before the fork)|0", "2|till|2", "3|a (before the fork, 2)|0"])
        #expect(try JournalReader(path: twice).verify().problems == [])
    }

    /// It was sent before step 2, and its receiver was busy.
    @Test func `a fork asks about a message that its receiver got after the next step`() async throws {
        let journal = try openJournal(path, clock)
        let stream = try await journal.openStream("a", machine: "m")
        let till = try await journal.openStream("till", machine: "till")
        try await stream.append("1")
        let sent = clock.wallClock()
        clock.move(by: .seconds(1))
        try await stream.append("2")
        clock.move(by: .seconds(1))
        let cause = Cause(stream: stream.id, step: 1, run: 0)
        var batch = Batch(entries: [NewEntry(stream: till.id, action: "1", origin: .machine, cause: cause)])
        batch.runs = [
            EffectRun(
                stream: stream.id, step: 1, ordinal: 0, rootStep: 1, name: "till", status: .completed, ended: sent)
        ]
        batch.settled = [stream.id: 2]
        _ = try await journal.commit(batch)
        #expect(try journal.reader.effectRun(RunKey(step: 1, ordinal: 0), in: "a")?.ended == clock.wallClock())
        try await journal.reader.fork("a", at: 1, to: fork)
        #expect(try sql("SELECT status FROM effect_run", fork) == ["asked"])
        try await journal.reader.fork("a", at: 2, to: folder.path("later.db"))
        #expect(try sql("SELECT status FROM effect_run", folder.path("later.db")) == ["completed"])
        withExtendedLifetime(till) {}
        try await journal.close()
    }

    // MARK: Files

    @Test func `a fork is one file, also while an app writes`() async throws {
        let (journal, stream) = try await journal()
        let writing = Task {
            while !Task.isCancelled { try await stream.append("more") }
        }
        try await journal.reader.fork("a", at: 15, to: fork)
        writing.cancel()
        try await writing.value
        try await journal.close()
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.filter { $0.hasPrefix("fork") } == ["fork.db"])
        #expect(try JournalReader(path: fork).verify().problems == [])
        #expect(try JournalReader(path: fork).lastPosition() == 15)
    }

    @Test func `a fork overwrites no file, and a fork that fails leaves no file`() async throws {
        let (journal, _) = try await journal()
        try Data("mine".utf8).write(to: URL(fileURLWithPath: fork))
        #expect(await journalError { try await journal.reader.fork("a", at: 1, to: fork) }?.code == .destinationExists)
        #expect(try bytes(fork) == Data("mine".utf8))
        let other = folder.path("b.db")
        #expect(await journalError { try await journal.reader.fork("z", at: 1, to: other) }?.code == .unknownStream)
        #expect(
            await journalError { try await journal.reader.fork("a", at: 99, to: other) }?.message
                == "The stream ends at step 20.")
        #expect(
            await journalError { try await journal.reader.fork("a", at: 1, to: folder.path("none/b.db")) }?.code
                == .cannotOpen)
        // A fork that would contain the damage fails.
        try Shell(path)("UPDATE entry SET action = '99' WHERE step = 4")
        #expect(await journalError { try await journal.reader.fork("a", at: 5, to: other) }?.code == .copyNotVerified)
        // What is there afterwards tells which effects were live.
        let error = await journalError { try await journal.reader.fork("a", at: 3, to: other) }
        #expect(error?.code == .corrupt && error?.step == 4)
        try await journal.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.hasPrefix("b.db") })
        // Without such effects, damage after the fork's step does not matter.
        try Shell(path).change("DELETE FROM effect_run; DELETE FROM effect_attempt; DELETE FROM effect_step")
        try await JournalReader(path: path).fork("a", at: 3, to: other)
    }
}

@Suite struct `A detached backup`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    private var copy: String { folder.path("copy.db") }

    /// The random values of a journal after one more draw.
    private func draws(_ path: String) async throws -> [String] {
        let journal = try openJournal(path, clock)
        let store = try await journal.openPlay {
            .run($0) {
                try await forever(); return nil
            }
        }
        try await store.dispatch(.draw)
        #expect(try journal.reader.verify().problems == [])
        try await journal.close()
        return store.state.drawn
    }

    @Test func `a timer that is released in a copy goes on where it was, and a fork sends again what came after it`()
        async throws
    {
        let timers: @Sendable (String) -> Effect<Play> = { name in
            name == "once" ? .after(.seconds(600), .ended(name)) : .every(.seconds(60), .ended(name), missed: .all)
        }
        let journal = try openJournal(path, clock)
        let store = try await journal.openPlay(clock: clock, effects: timers)
        try await store.dispatch(.start("once"))
        try await store.dispatch(.start("tick"))
        for count in 1...3 {
            await clock.sleepers(1)
            clock.move(by: .seconds(60))
            _ = try await store.dispatch(.add(0)) { $0.log.count == count }
        }
        try await store.flush()
        let fork = folder.path("fork.db")
        try await journal.backup(to: copy, detached: true)
        let firstTick = try #require(journal.reader.entries(in: "a").first { $0.origin == .effect })
        try await journal.reader.fork("a", at: firstTick.step, to: fork)
        try await journal.close()
        // Each copy as it is released, when its next tick is due, and its states until then.
        for (path, missed) in [(copy, 0), (fork, 2)] {
            let journal = try openJournal(path, clock)
            let store = try await journal.openPlay(clock: clock, effects: timers)
            let before = store.state.log.count
            #expect(before == 3 - missed)
            let runs = try await store.liveRuns()
            #expect(runs.map(\.status) == [.asked, .asked])
            for run in runs { try await store.release(run.key) }
            _ = try await store.dispatch(.add(0)) { $0.log.count == 3 }
            while clock.nextWake != .seconds(60) { await Task.yield() }
            #expect(try await store.liveRuns().map(\.status) == [.delayed, .delayed])
            #expect(try await journal.verify().isSound)
            try await journal.close()
        }
        let again = try openJournal(copy, clock)
        let restored = try await again.openPlay(clock: clock, effects: timers)
        clock.move(by: .seconds(420))
        _ = try await restored.dispatch(.add(0)) { $0.log.count == 11 }
        #expect(restored.state.log.filter { $0 == "once" }.count == 1)
        try await again.close()
    }

    @Test(arguments: [false, true]) func `only a detached backup is another journal`(detached: Bool) async throws {
        let journal = try openJournal(path, clock)
        let store = try await journal.openPlay {
            .run($0) {
                try await forever(); return nil
            }
        }
        try await store.dispatch(.draw)
        try await store.dispatch(.start("x"))
        _ = try await journal.openPlay("b").dispatch(.draw)
        try await store.flush()
        try await journal.backup(to: copy, detached: detached)
        try await journal.close()

        let ids = "SELECT hex(journal) FROM writer"
        #expect(try (sql(ids, copy) == sql(ids)) == !detached)
        #expect(try sql("SELECT stream, step FROM seed", copy) == (detached ? ["1|2", "2|1"] : []))
        #expect(try sql("SELECT status FROM effect_run", copy) == [detached ? "asked" : "running"])
        let (mine, theirs) = (try await draws(path), try await draws(copy))
        #expect(mine[0] == theirs[0])
        #expect((mine[1] == theirs[1]) == !detached)
    }

    /// Its records get a new digest, so afterwards nothing would tell.
    @Test(arguments: ["effect_run", "dispatch_id"])
    func `a detached backup and a fork of a stream that lacks a record are refused`(table: String) async throws {
        let journal = try openJournal(path, clock)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1", id: "x")
        var batch = Batch()
        batch.runs = [EffectRun(stream: stream.id, step: 1, ordinal: 0, rootStep: 1, name: "charge", status: .running)]
        batch.settled = [stream.id: 1]
        _ = try await journal.commit(batch)
        withExtendedLifetime(stream) {}
        try Shell(path)("DELETE FROM \(table)")
        for detached in [false, true] {
            let error = await journalError { try await journal.backup(to: copy, detached: detached) }
            #expect(error?.code == (detached ? .corrupt : .copyNotVerified))
        }
        #expect(await journalError { try await journal.reader.fork("a", at: 1, to: copy) }?.code == .corrupt)
        #expect(!FileManager.default.fileExists(atPath: copy))
        try await journal.close()
    }

    @Test func `a detached backup can be made of a journal in memory and of a detached backup`() async throws {
        let journal = try Journal.inMemory()
        try await journal.openStream("a", machine: "m").append("1")
        try await journal.backup(to: copy, detached: true)
        try await JournalReader(path: copy).backup(to: folder.path("again.db"), detached: true)
        let seeds = "SELECT stream, step, hex(seed) FROM seed"
        #expect(try sql(seeds, copy).count == 1)
        #expect(try sql(seeds, folder.path("again.db")).count == 1)
        #expect(try sql(seeds, copy) != sql(seeds, folder.path("again.db")))
        #expect(try JournalReader(path: folder.path("again.db")).verify().problems == [])
    }
}
