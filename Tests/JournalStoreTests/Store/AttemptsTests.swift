import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Attempts of effects`: AtDesk {
    let desk: Desk
    private let history = "SELECT attempt, outcome, error FROM attempts"

    init() throws { desk = try Desk() }

    /// An effect that fails at its first attempts.
    private func failing(_ count: Int) -> @Sendable (String) -> Effect<Play> {
        { name in
            .run(name, retry: .constant(maxAttempts: 3, delay: .seconds(60))) { context in
                if context.attempt <= count { throw EffectFailure(description: "busy \(context.attempt)") }
                return .ended("\(context.attempt)")
            }
        }
    }

    @Test func `each attempt that is tried again is recorded with its times and its error`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await journal.openPlay(clock: clock, effects: failing(2))
        try await store.dispatch(.start("x"))
        for _ in 0..<2 {
            await clock.sleepers(1)
            clock.move(by: .seconds(60))
        }
        try await store.says("3")
        try await store.flush()
        #expect(try sql(history) == ["1|failed|busy 1", "2|failed|busy 2", "3|completed|"])
        #expect(
            try sql(
                "SELECT attempt, (started - min(started) OVER ()) / 1000000, ended - started, error FROM effect_attempt"
            )
                == ["1|0|0|busy 1", "2|60|0|busy 2", "3|120||"])
        #expect(try sql("SELECT started IS NOT NULL, ended IS NOT NULL FROM attempts") == ["1|1", "1|1", "1|1"])
        #expect(try await journal.verify().isSound)
        try await journal.close()
    }

    @Test func `of many attempts the first one and the newest 1,000 are kept`() async throws {
        let journal = try openJournal(path, clock)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        var run = EffectRun(stream: stream.id, step: 1, ordinal: 0, rootStep: 1, name: "x", status: .running)
        // Many in one transaction, then one in each.
        for newest in [1_001, 1_003, 1_004] {
            for number in (run.attempts + 1)...newest {
                let time = Timestamp(microseconds: Int64(number))
                run.noteAttempt(number, at: time)
                run.attempts = number
                run.noteEnd(error: "busy \(number)", at: time)
            }
            var batch = Batch()
            batch.runs = [run]
            _ = try await journal.commit(batch)
            run.notes = []
            let kept = "SELECT count(*), min(attempt) FILTER (WHERE attempt > 1), max(attempt) FROM effect_attempt"
            #expect(try sql(kept) == ["1001|\(newest - 999)|\(newest)"])
            #expect(try sql("SELECT error FROM attempts WHERE attempt = 1") == ["busy 1"])
        }
        // The digests of the stream's records follow.
        #expect(try await journal.verify().isSound)
        try await journal.close()
    }

    @Test func `a single attempt has no record of its own`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await journal.openPlay(clock: clock, effects: failing(0))
        try await store.dispatch(.start("x"))
        try await store.says("1")
        try await store.flush()
        #expect(try sql("SELECT count(*) FROM effect_attempt") == ["0"])
        #expect(try sql(history) == ["1|completed|"])
        #expect(try sql("SELECT started = (SELECT started FROM attempts) FROM attempts") == ["1"])
        try await journal.close()
    }

    @Test func `the last failure is not an attempt that is tried again`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await journal.openPlay(clock: clock) { name in
            .run(name) { throw EffectFailure(description: "no") }
        }
        await (try store.dispatch(.start("x"))).completion()
        try await store.flush()
        #expect(try sql("SELECT count(*) FROM effect_attempt") == ["0"])
        #expect(try sql(history) == ["1|failed|no"])
        try await journal.close()
    }

    @Test func `an attempt that a restart cut off is recorded when the next one starts`() async throws {
        let journal = try openJournal(path, clock)
        let effects: @Sendable (String) -> Effect<Play> = { [clock] name in
            .run(name) { context in
                if context.attempt < 3 { try await clock.sleep(for: .seconds(1_000_000)) }
                return .ended("\(context.attempt)")
            }
        }
        for _ in 0..<2 {
            let store = try await journal.openPlay(clock: clock, effects: effects)
            if store.state.log.isEmpty, try await store.liveRuns().isEmpty { try await store.dispatch(.start("x")) }
            await clock.sleepers(1)
            try await store.close()
        }
        let store = try await journal.openPlay(clock: clock, effects: effects)
        try await store.says("3")
        try await store.flush()
        #expect(try sql(history) == ["1|cut off|", "2|cut off|", "3|completed|"])
        #expect(try await journal.verify().isSound)
        try await journal.close()
    }

    /// Its row says when it was cancelled, which is no end of an attempt.
    @Test func `an attempt that has ended keeps its end when the effect is cancelled while it waits, and is retried`()
        async throws
    {
        let journal = try openJournal(path, clock)
        let store = try await journal.openPlay(clock: clock) { name in
            .run(name) { throw EffectFailure(description: "no") }
        }
        await (try store.dispatch(.start("x"))).completion()
        try await journal.close()
        let attempts = "SELECT attempt, ended, error FROM effect_attempt"
        let ended = try sql("SELECT ended FROM effect_run")
        let again = try openJournal(path) { [clock] in $0.wallClock = clock.wallClock }
        for act in [Intervention.Act.retry, .cancel, .retry] {
            clock.move(by: .seconds(60))
            if act == .retry {
                try await again.retry(RunKey(step: 1), in: "a")
            } else {
                try await again.cancel(RunKey(step: 1), in: "a")
            }
            #expect(try sql(attempts) == ["1|\(ended[0])|no"])
        }
        #expect(try await again.verify().isSound)
        try await again.close()
    }

    /// Its record says that it has failed until it is restored, which takes time.
    @Test func `an effect is not pruned while it is being retried`() async throws {
        let journal = try openJournal(path, clock)
        let isRetried = Box(false)
        let prunings = Box<Set<JournalError.Code?>>([])
        let machine = Machine<Int, Int, Void>("m", initialState: 0) { number, state, _ in
            state += 1
            if number == 0, isRetried.value {
                // The fold of the retry: the writer does this before it hears of the end of the retry.
                journal.writer.later { state in
                    let result = Result { () throws(JournalError) in
                        try state.prune("a", before: 3, isBegun: false, checked: .max)
                    }
                    prunings.change { _ = $0.insert(result.failure?.code) }
                }
            }
            return number == 0 ? .run("x") { throw EffectFailure(description: "no") } : .none
        }
        let first = try await journal.open(machine, stream: "a")
        try await first.dispatch(0).completion()
        try await first.dispatch(1)
        try await first.close()
        let store = try await journal.open(machine, stream: "a")
        try await store.dispatch(1)
        isRetried.change { $0 = true }
        try await store.retry(RunKey(step: 1, ordinal: 0))
        #expect(prunings.value == [.busy])
        await store.join()
        try await journal.prune("a", before: 3)
        #expect(try await journal.verify().isSound)
        try await journal.close()
    }

    @Test func `the cancel ID of a dispatch reaches its effect when that is retried`() async throws {
        let door = Door()
        let fails = Box(true)
        let journal = try openJournal(path, clock)
        let store = try await journal.openPlay { name in
            .run(name) {
                if fails.value { throw EffectFailure(description: "no") }
                await door.pass()
                return .ended(name)
            }
        }
        try await store.dispatch(.start("x"), cancelID: "job").completion()
        fails.change { $0 = false }
        try await store.retry(RunKey(step: 1, ordinal: 0))
        await door.comers(1)
        try await store.dispatch(.cancel("job"))
        door.open()
        await store.join()
        #expect(store.state.log == [])
        try await store.flush()
        #expect(try sql("SELECT status FROM effect_run") == ["cancelled"])
        try await journal.close()
    }

    @Test func `an attempt before a retry by an operator keeps its end`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await journal.openPlay(clock: clock) { name in
            .run(name) { context in
                if context.attempt < 2 { throw EffectFailure(description: "no") }
                return .ended("\(context.attempt)")
            }
        }
        await (try store.dispatch(.start("x"))).completion()
        try await store.retry(RunKey(step: 1, ordinal: 0))
        try await store.says("2")
        try await store.flush()
        #expect(try sql(history) == ["1|failed|no", "2|completed|"])
        try await journal.close()
    }

    @Test(arguments: [false, true])
    func `each failed attempt is counted, also the one that ended its run`(_ reportsFailure: Bool) async throws {
        let journal = try openJournal(path, clock)
        let store = try await journal.openPlay(clock: clock) { name in
            let effect = Effect<Play>.run(name, retry: .constant(maxAttempts: 2, delay: .seconds(60))) { context in
                throw EffectFailure(description: "\(context.attempt)")
            }
            return reportsFailure ? effect.onFailure(.ended("told")) : effect
        }
        let dispatched = try await store.dispatch(.start("x"))
        await clock.sleepers(1)
        try await store.flush()
        let counts = "SELECT status, attempts, failures FROM effect_run"
        #expect(try sql(counts) == ["delayed|1|1"])
        clock.move(by: .seconds(60))
        await dispatched.completion()
        try await store.flush()
        #expect(try sql(counts) == ["failed|2|2"])
        try await store.retry(RunKey(step: 1, ordinal: 0))
        await store.join()
        try await store.flush()
        #expect(try sql(counts) == ["failed|3|3"])
        // The machine is told again, because it may wait for the end of the retry.
        #expect(store.state.log == (reportsFailure ? ["told", "told"] : []))
        try await journal.close()
    }

    @Test func `attempts are pruned with their run, and a detached copy keeps them`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await journal.openPlay(clock: clock, effects: failing(1))
        try await store.dispatch(.start("x"))
        await clock.sleepers(1)
        clock.move(by: .seconds(60))
        try await store.says("2")
        try await store.flush()
        let copy = folder.path("copy.db")
        try await journal.backup(to: copy, detached: true)
        #expect(try sql("SELECT attempt FROM effect_attempt", copy) == ["1", "2"])
        clock.move(by: .seconds(1))
        try await store.forgetsThePast(journal)
        #expect(try sql("SELECT count(*) FROM effect_attempt") == ["0"])
        for file in [path, copy] { #expect(try JournalReader(path: file).verify().isSound) }
        try await journal.close()
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
