import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

/// Results of effects share a transaction. Whether each counts is known when those before it are reduced.
@Suite struct `Law 7: results that share a transaction` {
    let folder: TemporaryFolder
    let path: String
    let door = Door()

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    private func open(_ journal: Journal) async throws -> Store<Play, Score> {
        try await journal.openPlay { [door] name in
            .run(name, id: name) {
                await door.pass()
                return .ended(name)
            }
        }
    }

    /// What a process leaves that is killed right after a commit: the effects `x` and `y` run, and their last actions
    /// are in the journal. That of `y` is provisional.
    private func leave(_ last: Play) async throws {
        let journal = try openJournal(path)
        let store = try await open(journal)
        for name in ["x", "y"] { try await store.dispatch(.start(name)) }
        await door.comers(2)
        try await store.flush()
        try await store.close()
        let stream = try await journal.openStream("a", machine: "play")
        var runs = try journal.reader.effectRuns(in: "a")
        runs[0].delivered = 1
        runs[0].end(as: .completed, at: Timestamp(microseconds: 5))
        var batch = Batch(entries: [
            NewEntry(
                stream: stream.id, action: try text(last), origin: .effect, cause: Cause(step: 1, run: 0)),
            NewEntry(
                stream: stream.id, action: try text(.ended("y")), origin: .effect, cause: Cause(step: 2, run: 0),
                isProvisional: true),
        ])
        batch.runs = [runs[0]]
        _ = try await journal.commit(batch)
        try await stream.close()
        try await journal.close()
    }

    private func text(_ action: Play) throws -> String { try JSONCodec().encode(action) }

    private func outcomes() throws -> [String] {
        try Shell(path, readOnly: true)("SELECT step, outcome FROM journal WHERE outcome <> 'reduced' ORDER BY step")
    }

    private func statuses() throws -> [String] {
        try Shell(path, readOnly: true)("SELECT name, status FROM effect_run ORDER BY step")
    }

    @Test func `an opening counts a result whose effect is still live, and its run ends with it`() async throws {
        try await leave(.ended("x"))
        let journal = try openJournal(path)
        let store = try await open(journal)
        #expect(store.state.log == ["x", "y"])
        #expect(store.recovery.resumed == [])
        try await store.flush()
        #expect(try statuses() == ["x|completed", "y|completed"])
        let runs = try journal.reader.effectRuns(in: "a")
        #expect(runs.map(\.delivered) == [1, 1])
        // When the process before committed its action, not now.
        #expect(try runs[1].ended == journal.reader.entries(in: "a").last?.time)
        #expect(try outcomes() == [])
        #expect(try journal.reader.verify().isSound)
        try await journal.close()
    }

    @Test func `an opening passes over a result whose effect an earlier one cancels`() async throws {
        try await leave(.cancel("y"))
        for opening in 0..<2 {
            let journal = try openJournal(path)
            let store = try await open(journal)
            #expect(store.state.log == [])
            #expect(store.engine.step == 4 + opening)
            #expect(store.recovery.resumed == [])
            try await store.flush()
            #expect(try statuses() == ["x|completed", "y|cancelled"])
            #expect(try outcomes() == ["4|cancelled"])
            #expect(try store.replayer().verify().isFaithful)
            #expect(try store.replayer().step(4).isSkipped)
            #expect(try journal.reader.verify().isSound)
            try await store.dispatch(.add(1))
            try await journal.close()
            // The second opening folds the recorded outcome.
            try Shell(path)("DELETE FROM snapshot")
        }
    }

    @Test func `a verification says what an opening does with results that are not decided yet`() async throws {
        enum Later: Codable, Sendable { case add(Int), start(String) }
        try await leave(.add(1))
        let later = Machine<Later, Score, Void>("play", version: 2, initialState: Score()) { _, _ in }
            .unchanged(since: 1)
        let reader = try JournalReader(path: path)
        let error = await journalError { try Replayer(later, reader: reader, stream: "a").verify() }
        #expect(error?.code == .notDecodable)
        #expect(error?.step == 4)

        // This version returns no effects: that of the provisional action ends with it.
        let quiet = Machine<Play, Score, Void>("play", version: 2, initialState: Score()) { _, _ in }
            .unchanged(since: 1)
        let report = try Replayer(quiet, reader: reader, stream: "a").verify()
        #expect(report.lastStep == 3)
        #expect(report.orphans == [])
        let journal = try openJournal(path)
        let refused = await journalError { try await journal.open(later, stream: "a") }
        #expect(refused?.message == error?.message)
        let recovery = try await journal.open(quiet, stream: "a").recovery
        #expect(recovery.orphaned == [])
        #expect(recovery.olderSteps == report.olderSteps)
        try await journal.close()
    }

    @Test func `an opening notices that the record of a result that does not count is missing`() async throws {
        try await leave(.cancel("y"))
        let journal = try openJournal(path)
        try await open(journal).close()
        try await journal.close()
        try Shell(path)("DELETE FROM step_record WHERE outcome = 'cancelled'; DELETE FROM snapshot")
        let again = try openJournal(path)
        let error = await journalError { try await open(again) }
        #expect(error?.code == .corrupt)
        #expect(error?.message.hasPrefix("A record is missing") == true)
        try await again.close()
    }

    /// An ephemeral effect has no record that says which dispatch led to it.
    @Test func `an opening finds the dispatch behind an action that an ephemeral effect sent`() async throws {
        let journal = try openJournal(path)
        let stream = try await journal.openStream("a", machine: "play")
        var batch = Batch(entries: [
            NewEntry(stream: stream.id, action: try text(.add(1)), cancelID: #"{"String":"job"}"#),
            NewEntry(
                stream: stream.id, action: try text(.add(1)), origin: .effect, cause: Cause(step: 1, run: 0)),
        ])
        batch.settled = [stream.id: 2]
        _ = try await journal.commit(batch)
        _ = try await journal.commit(
            Batch(entries: [
                NewEntry(
                    stream: stream.id, action: try text(.start("x")), origin: .effect, cause: Cause(step: 2, run: 0))
            ]))
        try await stream.close()
        let store = try await open(journal)
        await door.comers(1)
        try await store.flush()
        #expect(
            try Shell(path, readOnly: true)("SELECT root_step, cancel_id FROM effect_run") == [#"1|{"String":"job"}"#])
        try await store.dispatch(.cancel("job"))
        try await store.flush()
        #expect(try statuses() == ["x|cancelled"])
        door.open()
        try await journal.close()
    }

    @Test func `what an operator skips decides too`() async throws {
        try await leave(.cancel("y"))
        var journal = try openJournal(path)
        try await journal.skip(3, in: "a")
        try await journal.close()
        journal = try openJournal(path)
        let store = try await open(journal)
        // Nobody has cancelled it now.
        #expect(store.state.log == ["y"])
        try await store.flush()
        #expect(try statuses() == ["x|completed", "y|completed"])
        #expect(try outcomes() == ["3|skipped"])
        try await journal.close()
    }

    @Test func `a provisional result that an operator skips ends its run`() async throws {
        try await leave(.ended("x"))
        var journal = try openJournal(path)
        try await journal.skip(4, in: "a")
        try await journal.close()
        journal = try openJournal(path)
        let store = try await open(journal)
        #expect(store.state.log == ["x"])
        #expect(store.recovery.resumed == [])
        try await store.flush()
        #expect(try statuses() == ["x|completed", "y|completed"])
        try await journal.close()
    }

    @Test func `code that does not return the effect any more counts its result`() async throws {
        try await leave(.ended("x"))
        let journal = try openJournal(path)
        let store = try await journal.openPlay()
        #expect(store.state.log == ["x", "y"])
        #expect(store.recovery.orphaned == [])
        try await store.flush()
        #expect(try statuses() == ["x|completed", "y|completed"])
        try await journal.close()
    }

    /// An opening knows the effect of a provisional action by its number among those of its step, and newer code can
    /// return others.
    @Test func `no result is committed before the record of its effect, which newer code may not return`() async throws
    {
        let names = (0..<20).map { "\($0)" }
        let effects: @Sendable ([String]) -> @Sendable (String) -> Effect<Play> = { [door] names in
            { _ in
                .combine(
                    names.map { name in
                        .run(name) {
                            await door.pass()
                            return .ended(name)
                        }
                    })
            }
        }
        var journal = try openJournal(path)
        var store = try await journal.openPlay(effects: effects(names))
        try await journal.refuse("INSERT ON effect_run")
        let dispatched = try await store.dispatch(.start("all"))
        door.open()
        await dispatched.completion()
        #expect(store.state.log == [])
        #expect(try journal.reader.entries(in: "a").map(\.step) == [1])
        // As after a kill: no record is written any more.
        _ = await journalError { try await store.close() }
        try await journal.close()
        #expect(try statuses() == [])

        journal = try openJournal(path)
        store = try await journal.openPlay(effects: effects(Array(names.dropFirst())))
        await store.join()
        #expect(store.state.log.sorted() == names.dropFirst().sorted())
        try await journal.close()
    }

    @Test func `a reader computes no state of which it does not know whether a result counts`() async throws {
        try await leave(.cancel("y"))
        let reader = try JournalReader(path: path)
        let stage = Stage { name in .run(name, id: name) { nil } }
        let replayer = try Replayer(play, environment: stage, reader: reader, stream: "a")
        #expect(try replayer.lastStep == 3)
        #expect(try replayer.replayableSteps() == 0...3)
        #expect(try replayer.state(at: 3).log == [])
        let refusals: [() async throws -> Void] = [
            { _ = try replayer.state(at: 4) },
            { _ = try replayer.step(4) },
            { try await reader.fork("a", at: 4, to: folder.path("fork.db")) },
        ]
        for refusal in refusals {
            let error = await #expect(throws: JournalError.self) { try await refusal() }
            #expect(error?.code == .noSuchStep)
            #expect(error?.step == 4)
            #expect(error?.message.hasPrefix("It is not known yet whether this step counts") == true)
        }
        var seen: [Int] = []
        try replayer.forEach(in: 1...9) { seen.append($0.step) }
        #expect(seen == [1, 2, 3])
        #expect(try replayer.verify().isFaithful)
        #expect(try reader.verify().isSound)
        // The opening decides, and the same replayer goes on.
        let journal = try openJournal(path)
        _ = try await open(journal)
        try await journal.close()
        #expect(try replayer.lastStep == 4)
        #expect(try replayer.state(at: 4).log == [])
    }

    @Test func `a fold does not count a result whose outcome was pruned before it asked`() async throws {
        try await leave(.cancel("y"))
        let reader = try JournalReader(path: path)
        let stage = Stage { name in .run(name, id: name) { nil } }
        let program = Program(play, environment: stage, checksCoding: false)
        var fold = try Fold(program, reader, reader.stream("a"), atOrBefore: 0)
        while try fold.next() != nil {}
        #expect(fold.step == 3)
        let journal = try openJournal(path) { $0.snapshots = SnapshotPolicy(everySteps: 1) }
        let store = try await open(journal)
        for _ in 1...3 { try await store.dispatch(.cancel("z")) }
        try await store.close()
        #expect(try await journal.prune("a", before: 8).base >= 4)
        #expect(await journalError { _ = try fold.next() }?.code == .noUsableSnapshot)
        #expect(fold.step == 3)
        try await journal.close()
    }

    @Test(arguments: [Play.ended("x"), .cancel("y")])
    func `in a fork before the results their effects have sent nothing`(_ last: Play) async throws {
        try await leave(last)
        let journal = try openJournal(path)
        try await open(journal).close()
        let copy = folder.path("fork.db")
        try await journal.reader.fork("a", at: 2, to: copy)
        try await journal.close()
        let runs = try JournalReader(path: copy).effectRuns(in: "a")
        #expect(runs.map(\.status) == [.asked, .asked])
        #expect(runs.map(\.delivered) == [0, 0])
    }

    /// The stream may not open, because the effect cannot be restored.
    @Test func `an operator can cancel an effect whose last action is in the journal, and the action does not count`()
        async throws
    {
        try await leave(.ended("x"))
        let journal = try openJournal(path)
        try await journal.intervene(.cancel, RunKey(step: 2), in: "a")
        let store = try await open(journal)
        try await store.close()
        #expect(try journal.reader.effectRun(RunKey(step: 2), in: "a")?.status == .cancelled)
        #expect(try journal.reader.stepRecords(of: "a", from: 4, through: 4).map(\.outcome) == [.cancelled])
        #expect(try await journal.verify().problems == [])
        try await journal.close()
    }

    @Test func `an operator cannot retry an effect whose last action is in the journal`() async throws {
        try await leave(.ended("x"))
        let journal = try openJournal(path)
        let error = await #expect(throws: JournalError.self) {
            try await journal.intervene(.retry, RunKey(step: 2), in: "a")
        }
        #expect(error?.code == .notInThatState)
        #expect(error?.message.contains("has sent its last action, which is step 4") == true)
        try await journal.close()
    }

    @Test func `verify finds an outcome that says of another action that it does not count`() async throws {
        try await leave(.ended("x"))
        let journal = try openJournal(path)
        try await open(journal).close()
        let stream = try await journal.openStream("a", machine: "play")
        var batch = Batch()
        batch.steps = [StepRecord(stream: stream.id, step: 3, outcome: .cancelled)]
        _ = try await journal.commit(batch)
        try await stream.close()
        let problems = try await journal.verify().problems
        #expect(problems.map(\.step) == [3])
        #expect(problems.first?.message == "its effect is recorded as cancelled before it, which cannot be")
        try await journal.close()
    }

    /// A reducer of the timer that is due first cancels the others, which are in its transaction.
    @Test func `timers that are due together share a transaction, and none counts that an earlier one cancels`()
        async throws
    {
        let clock = ManualClock()
        let journal = try openJournal(path, clock)
        let store = try await journal.open(alarms, stream: "a", clock: clock)
        try await store.dispatch(.set(40))
        try await store.flush()
        let before = try await journal.metrics().commits
        await clock.sleepers(1)
        clock.move(by: .seconds(60))
        _ = try await store.dispatch(.look) { $0.rung == 20 }
        await store.join()
        #expect(store.state.rung == 20)
        #expect(try await journal.metrics().commits - before <= 5)
        try await store.flush()
        let statuses = try journal.reader.effectRuns(in: "a").map(\.status)
        #expect(statuses == Array(repeating: .completed, count: 20) + Array(repeating: .cancelled, count: 20))
        #expect(try store.replayer().verify().isFaithful)
        #expect(try journal.reader.verify().isSound)
        try await journal.close()
    }

    @Test func `an opening ends the timer whose provisional action counts, and not one that an earlier action cancels`()
        async throws
    {
        for isCancelled in [false, true] {
            let path = folder.path("\(isCancelled).db")
            let clock = ManualClock()
            var journal = try openJournal(path, clock)
            let store = try await journal.open(alarms, stream: "a", clock: clock)
            try await store.dispatch(.set(2))
            try await store.flush()
            try await store.close()
            let stream = try await journal.openStream("a", machine: "alarms")
            let codec = JSONCodec()
            _ = try await journal.commit(
                Batch(entries: [
                    NewEntry(stream: stream.id, action: try codec.encode(isCancelled ? Alarm.stop : .look)),
                    NewEntry(
                        stream: stream.id, action: try codec.encode(Alarm.ring(1)), origin: .effect,
                        cause: Cause(step: 1, run: 1),
                        isProvisional: true),
                ]))
            try await stream.close()
            try await journal.close()
            journal = try openJournal(path, clock)
            let restored = try await journal.open(alarms, stream: "a", clock: clock)
            #expect(restored.state.rung == (isCancelled ? 0 : 1))
            try await restored.flush()
            #expect(
                try journal.reader.effectRuns(in: "a").map(\.status)
                    == (isCancelled ? [.cancelled, .cancelled] : [.delayed, .completed]))
            clock.move(by: .seconds(60))
            if !isCancelled { _ = try await restored.dispatch(.look) { $0.rung == 2 } }
            await restored.join()
            #expect(restored.state.rung == (isCancelled ? 0 : 2))
            try await restored.flush()
            #expect(try restored.replayer().verify().isFaithful)
            #expect(try journal.reader.verify().isSound)
            try await journal.close()
        }
    }

    /// A race: the second result cancels the effects that still run. The bodies return together, so their results share
    /// transactions.
    @Test func `of a race no result counts after the one that cancels the others`() async throws {
        let journal = try openJournal(path)
        let doors = (0...200).map { _ in Door() }
        let observed = Box<[(step: Int, isSkipped: Bool)]>([])
        let observer = Observer<Race, Races> { step in
            observed.change { $0.append((step.step, step.isSkipped)) }
        }
        let store = try await journal.open(race, stream: "a", environment: doors, observers: [observer])
        var passedOver = 0
        for round in 1...200 where passedOver == 0 || round <= 20 {
            try await store.dispatch(.go(round))
            await doors[round].comers(16)
            doors[round].open()
            _ = try await store.dispatch(.look) { $0.finished == round }
            await store.join()
            #expect(store.state.winners == 2 * round)
            try await store.flush()
            passedOver = try journal.reader.stepRecords(of: "a", from: 1, limit: .max).count {
                $0.outcome == .cancelled
            }
        }
        #expect(passedOver > 0)
        #expect(observed.value.map(\.step) == Array(1...store.engine.step))
        #expect(observed.value.count(where: \.isSkipped) == passedOver)
        #expect(try store.replayer().verify().isFaithful)
        var winners = 0
        let last = store.engine.step
        for try await step in store.transitions(from: 1) {
            if case .won = step.action, !step.isSkipped { winners += 1 }
            if step.step == last { break }
        }
        #expect(winners == store.state.winners)
        try await journal.close()
        let again = try openJournal(path)
        let restored = try await again.open(race, stream: "a", environment: doors)
        #expect(restored.state.winners == winners)
        try await again.close()
    }
}

private enum Race: Codable, Sendable, Equatable {
    case go(Int), won(Int), look
}

private struct Races: Codable, Sendable, Equatable {
    var winners = 0
    var finished = 0
}

private let race = Machine<Race, Races, [Door]>("race", initialState: Races()) { action, state, doors, _ in
    switch action {
    case .go(let round):
        return .combine(
            (0..<16).map { (number: Int) -> Effect<Race> in
                Effect.run("runner \(number)", id: number) {
                    await doors[round].pass()
                    return .won(round)
                }
            })
    case .won(let round):
        state.winners += 1
        guard state.winners == 2 * round else { return .none }
        state.finished = round
        return .cancel(ids: { _ in true })
    case .look: return .none
    }
}

private enum Alarm: Codable, Sendable, Equatable {
    case set(Int), ring(Int), stop, look
}

private struct Alarms: Codable, Sendable, Equatable {
    var set = 0
    var rung = 0
}

/// When half of the timers have rung, the others are cancelled.
private let alarms = Machine<Alarm, Alarms, Void>("alarms", initialState: Alarms()) { action, state, _ in
    switch action {
    case .set(let count):
        state.set = count
        return .combine((0..<count).map { .after(.seconds(60), .ring($0), id: $0) })
    case .ring:
        state.rung += 1
        return state.set > 2 && state.rung == state.set / 2 ? .cancel(ids: { _ in true }) : .none
    case .stop: return .cancel(ids: { _ in true })
    case .look: return .none
    }
}
