import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Described effects in a store`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    private static let said: Performing = { chore, _ in .ended("\(chore)") }

    // MARK: Records

    @Test func `a handler performs a described effect, and the action it returns is dispatched`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await journal.openChores(clock: clock, perform: Self.said)
        let dispatched = try await store.dispatch(.start("hall"))
        await dispatched.completion()
        #expect(store.state.log == [#"sweep("hall")"#])
        try await store.flush()
        #expect(
            try sql("SELECT name, status, described, delivered FROM effect_run") == [
                #"sweep|completed|{"JournalStoreTests.Chore":{"sweep":{"_0":"hall"}}}|1"#
            ])
        #expect(try sql("SELECT effects FROM step_record").first?.contains(#""perform":"sweep""#) == true)
        #expect(try await journal.verify().isSound)
        try await journal.close()
    }

    @Test func `every property of a described effect is recorded`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await journal.openChores(
            clock: clock,
            effects: { name in
                .perform(
                    Chore.sweep(name), id: 7, queue: JobQueue.suspending(2), priority: .high, delay: .seconds(5),
                    restart: .dispatch(.ended("restarted")), retry: .constant(maxAttempts: 3)
                ).onFailure(.ended("failed")).onOrphan(.ended("orphan"))
            }, perform: Self.said)
        try await store.dispatch(.start("hall"))
        try await store.flush()
        #expect(
            try sql(
                "SELECT status, effect_id, priority, delay, restart, on_restart, on_failure, on_orphan FROM effect_run")
                == [
                    #"delayed|{"Int":7}|25|5000000|dispatch|{"ended":{"_0":"restarted"}}|{"ended":{"_0":"failed"}}|{"ended":{"_0":"orphan"}}"#
                ])
        #expect(try sql("SELECT retry FROM effect_run").first?.contains(#""maxAttempts":3"#) == true)
        #expect(
            try sql(
                """
                SELECT count(*) FROM effect_run AS run JOIN entry USING (stream, step) JOIN effect_queue AS queue
                ON queue.key = run.queue
                WHERE run.entry_time = entry.time AND run.entry_digest = entry.digest
                """) == ["1"])
        #expect(try sql("SELECT policy FROM effect_queue") == [#"{"maxCount":2,"policy":"suspendNew","since":[1,0]}"#])
        try await journal.close()
    }

    // MARK: Restarts

    @Test(arguments: [false, true])
    func `a described effect is restored without reducing its step, even if its entry was pruned`(_ isPruned: Bool)
        async throws
    {
        let journal = try openJournal(path, clock)
        let seen = Box<[String]>([])
        let reduced = Box<[Int]>([])
        let perform: Performing = { chore, context in
            seen.change { $0.append("\(context.attempt) \(context.idempotencyKey) \(context.date)") }
            if !context.isResumed { try await forever() }
            return .ended("\(chore)")
        }
        var store = try await journal.openChores(clock: clock, perform: perform)
        try await store.dispatch(.start("hall"))
        while seen.value.isEmpty { try await store.dispatch(.add(1)) }
        if isPruned {
            try await store.forgetsThePast(journal)
            #expect(try sql("SELECT count(*) FROM entry WHERE step = 1") == ["0"])
            #expect(try await journal.verify().isSound)
        }
        try await store.close()
        clock.move(by: .seconds(3_600))
        // A reducer that returns no such effect any more makes no difference.
        store = try await journal.openChores(
            clock: clock, effects: { _ in .none },
            reduced: { action, step in if action != .add(0) { reduced.change { $0.append(step.number) } } },
            perform: perform)
        #expect(store.recovery.resumed.map(\.name) == ["sweep"])
        try await store.says(#"sweep("hall")"#)
        #expect(reduced.value.allSatisfy { $0 > store.recovery.snapshotStep } && Set(reduced.value).count == 1)
        #expect(seen.value.count == 2)
        // The same idempotency key, and the same date.
        #expect(seen.value[1] == "2" + seen.value[0].dropFirst())
        try await store.flush()
        #expect(try journal.reader.effectRuns(in: "a").map(\.status) == [.completed])
        #expect(try await journal.verify().isSound)
        try await journal.close()
    }

    @Test func `a restored effect waits for what is left of its delay`() async throws {
        let journal = try openJournal(path, clock)
        let effects: @Sendable (String) -> Effect<Play> = { .perform(Chore.sweep($0), delay: .seconds(60)) }
        var store = try await journal.openChores(clock: clock, effects: effects, perform: Self.said)
        try await store.dispatch(.start("hall"))
        try await store.close()
        clock.move(by: .seconds(20))
        store = try await journal.openChores(clock: clock, effects: effects, perform: Self.said)
        await clock.sleepers(1)
        #expect(clock.nextWake == .seconds(40))
        clock.move(by: .seconds(40))
        try await store.says(#"sweep("hall")"#)
        try await journal.close()
    }

    @Test func `a restored effect is retried at the time that was planned`() async throws {
        let journal = try openJournal(path, clock)
        let effects: @Sendable (String) -> Effect<Play> = {
            .perform(Chore.sweep($0), retry: .constant(maxAttempts: 3, delay: .seconds(60)))
        }
        let perform: Performing = { _, context in
            if context.attempt < 3 { throw EffectFailure(description: "busy") }
            return .ended("\(context.attempt)")
        }
        var store = try await journal.openChores(clock: clock, effects: effects, perform: perform)
        try await store.dispatch(.start("hall"))
        await clock.sleepers(1)
        try await store.close()
        clock.move(by: .seconds(20))
        store = try await journal.openChores(clock: clock, effects: effects, perform: perform)
        await clock.sleepers(1)
        #expect(clock.nextWake == .seconds(40))
        clock.move(by: .seconds(40))
        await clock.sleepers(1)
        clock.move(by: .seconds(60))
        try await store.says("3")
        try await journal.close()
    }

    @Test func `a restored effect shares its queue with effects that are dispatched now`() async throws {
        let journal = try openJournal(path, clock)
        let door = Door()
        let started = Box<[String]>([])
        let effects: @Sendable (String) -> Effect<Play> = { .perform(Chore.sweep($0), queue: JobQueue.suspending(1)) }
        let perform: Performing = { chore, context in
            started.change { $0.append("\(chore)") }
            if context.isResumed { await door.pass() } else if chore == .sweep("a") { try await forever() }
            return .ended("\(chore)")
        }
        var store = try await journal.openChores(clock: clock, effects: effects, perform: perform)
        for name in ["a", "b"] { try await store.dispatch(.start(name)) }
        try await store.close()
        store = try await journal.openChores(clock: clock, effects: effects, perform: perform)
        try await store.dispatch(.start("c"))
        await door.comers(1)
        try await store.flush()
        #expect(try sql("SELECT status FROM effect_run ORDER BY step") == ["running", "waiting", "waiting"])
        door.open()
        try await store.says(#"sweep("a")"#, #"sweep("b")"#, #"sweep("c")"#)
        try await journal.close()
    }

    @Test func `a restored effect has its priority again`() async throws {
        let journal = try openJournal(path, clock)
        let seen = Box<[TaskPriority]>([])
        let effects: @Sendable (String) -> Effect<Play> = { .perform(Chore.sweep($0), priority: .low) }
        let perform: Performing = { chore, context in
            seen.change { $0.append(Task.currentPriority) }
            if !context.isResumed { try await forever() }
            return .ended("\(chore)")
        }
        var store = try await journal.openChores(clock: clock, effects: effects, perform: perform)
        try await store.dispatch(.start("hall"))
        while seen.value.isEmpty { try await store.settles() }
        try await store.close()
        store = try await journal.openChores(clock: clock, effects: effects, perform: perform)
        try await store.says(#"sweep("hall")"#)
        #expect(seen.value == [.low, .low])
        try await journal.close()
    }

    // MARK: Restart policies

    @Test(
        arguments: [(.cancel, "cancelled"), (.ask, "asked"), (.dispatch(.ended("told")), "cancelled")]
            as [(Effect<Play>.Restart, String)])
    func `a restart follows the restart policy, once`(_ restart: Effect<Play>.Restart, _ status: String) async throws {
        let journal = try openJournal(path, clock)
        let started = Box(0)
        let effects: @Sendable (String) -> Effect<Play> = { .perform(Chore.sweep($0), id: $0, restart: restart) }
        let perform: Performing = { _, _ in
            started.change { $0 += 1 }
            try await forever()
            return nil
        }
        var store = try await journal.openChores(clock: clock, effects: effects, perform: perform)
        try await store.dispatch(.start("hall"))
        try await store.flush()
        for _ in 1...2 {
            try await store.close()
            store = try await journal.openChores(clock: clock, effects: { _ in .none }, perform: perform)
        }
        let isTold = if case .dispatch = restart { true } else { false }
        if isTold { try await store.says("told") } else { try await store.settles() }
        #expect(try sql("SELECT status FROM effect_run WHERE step = 1") == [status])
        #expect(started.value <= 1)
        #expect(
            try sql("SELECT origin, cause FROM journal WHERE name = 'ended'")
                == (isTold ? ["restart|step 1, effect 0"] : []))
        // An effect that is asked about can be cancelled by its ID.
        try await store.cancel(id: "hall")
        #expect(try sql("SELECT status FROM effect_run WHERE step = 1") == ["cancelled"])
        try await journal.close()
    }

    @Test func `an opening fails if the action of a restart policy cannot be decoded`()
        async throws
    {
        let journal = try openJournal(path, clock)
        let effects: @Sendable (String) -> Effect<Play> = {
            .perform(Chore.sweep($0), restart: .dispatch(.ended("told")))
        }
        let begun = Signal()
        let perform: Performing = { _, _ in
            begun.send()
            try await forever()
            return nil
        }
        let store = try await journal.openChores(clock: clock, effects: effects, perform: perform)
        try await store.dispatch(.start("hall"))
        await begun.wait()
        try await store.close()
        try Shell(path).change("UPDATE effect_run SET on_restart = '{\"gone\":{}}'")
        let error = await journalError {
            try await journal.openChores(clock: clock, effects: effects, perform: perform)
        }
        #expect(error?.code == .notDecodable)
        #expect(error?.message.contains("The action 'gone' of version 1 cannot be decoded") == true)
        try await journal.close()
    }
}
