import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Remembered steps in a store`: AtDesk {
    let desk: Desk
    /// The steps that were performed.
    let done = Box<[String]>([])

    init() throws { desk = try Desk() }

    @Test func `a remembered step and its run are in the journal when the step returns`() async throws {
        let journal = try openJournal(path, clock)
        let seen = Box<[String]>([])
        let store = try await journal.openPlay(clock: clock) { [path] name in
            .run(name) { context in
                _ = try await context.step("order/1") {
                    try await context.step("charge") { 7 }
                }
                let rows = try Shell(path, readOnly: true)(
                    """
                    SELECT remembered.path, remembered.name, nth, result, status, attempts
                    FROM effect_step AS remembered JOIN effect_run USING (stream, step, ordinal) ORDER BY path DESC
                    """)
                seen.change { $0 = rows }
                return .ended(name)
            }
        }
        try await store.dispatch(.start("x"))
        try await store.says("x")
        #expect(seen.value == ["/order~11/1|charge|1|7|running|1", "|order/1|1|7|running|1"])
        #expect(try await journal.verify().isSound)
        try await journal.close()
    }

    @Test func `a remembered step is not performed again, wherever the process dies`() async throws {
        let wreckage = try Wreckage()
        let effects: @Sendable (String) -> Effect<Play> = { [done] name in
            .run(name) { context in
                var results: [String] = []
                for letter in ["a", "b", "b"] {
                    results.append(
                        try await context.step(letter) {
                            done.change { done in
                                done.append(letter)
                                return "\(letter)\(done.count)"
                            }
                        })
                }
                try await context.step("mail") { done.change { $0.append("mail") } }
                return .ended(results.joined(separator: " "))
            }
        }
        var journal = try wreckage.journal(clock)
        var store = try await journal.openPlay(clock: clock, effects: effects)
        try await store.dispatch(.start("x"))
        try await store.says("a1 b2 b3")
        try await journal.close()
        #expect(done.value == ["a", "b", "b", "mail"])

        var found: Set<Int> = []
        for path in wreckage.paths {
            guard try sql("SELECT count(*) FROM entry", path) != ["0"] else { continue }
            let names = try sql("SELECT name FROM effect_step ORDER BY name, nth", path)
            found.insert(names.count)
            done.change { $0 = names }
            journal = try openJournal(path, clock)
            store = try await journal.openPlay(clock: clock, effects: effects)
            try await store.says("a1 b2 b3")
            #expect(done.value == ["a", "b", "b", "mail"], "after \(names)")
            #expect(try sql("SELECT count(*) FROM effect_step", path) == ["4"])
            try await journal.close()
        }
        #expect(found == [0, 1, 2, 3, 4])
    }

    @Test(arguments: [
        "DELETE FROM effect_step",
        """
        INSERT INTO effect_step (stream, step, ordinal, path, name, nth, row_digest, result)
        SELECT stream, step, ordinal, path, name, 2, row_digest, result FROM effect_step
        """,
    ])
    func `an opening notices that a remembered step of a live effect is missing or was added`(
        _ sql: String
    ) async throws {
        let door = Door()
        let effects: @Sendable (String) -> Effect<Play> = { [done] name in
            .run(name) { context in
                try await context.step("charge") { done.change { $0.append("charge") } }
                await door.pass()
                return .ended(name)
            }
        }
        let journal = try openJournal(path, clock)
        let store = try await journal.openPlay(clock: clock, effects: effects)
        try await store.dispatch(.start("x"))
        await door.comers(1)
        try await store.close()
        try await journal.close()
        #expect(try JournalReader(path: path).verify().isSound)
        try Shell(path)(sql)
        let again = try openJournal(path, clock)
        let error = await journalError { try await again.openPlay(clock: clock, effects: effects) }
        #expect(error?.code == .corrupt)
        #expect(error?.message.hasPrefix("A record is missing") == true)
        try await again.close()
        #expect(done.value == ["charge"])
        door.open()
    }

    @Test func `the remembered steps of an effect are restored with it, as long as it is live`() async throws {
        let journal = try openJournal(path, clock)
        let stream = try await journal.openStream("a", machine: "play")
        try await stream.append(#"{"start":{"_0":"x"}}"#)
        func commit(_ status: EffectRun.Status, remembering number: Int? = nil) async throws {
            var batch = Batch()
            batch.runs = [
                EffectRun(stream: stream.id, step: 1, ordinal: 0, rootStep: 1, name: "x", status: status, attempts: 1)
            ]
            if let number {
                batch.remembered = [
                    RememberedStep(
                        stream: stream.id, step: 1, ordinal: 0, path: "", name: "s", use: number, result: "1")
                ]
            }
            batch.settled = [stream.id: 1]
            _ = try await journal.commit(batch)
            #expect(try journal.reader.verify().isSound)
        }
        // The first one is in one transaction with its run.
        try await commit(.running, remembering: 1)
        try await commit(.running, remembering: 2)
        try await commit(.failed)
        #expect(try Shell(path, readOnly: true)("SELECT live_digest = zeroblob(16) FROM stream") == ["1"])
        // An operator retries it.
        try await commit(.waiting)
        try await commit(.completed, remembering: 3)
        #expect(try Shell(path, readOnly: true)("SELECT live_digest = zeroblob(16) FROM stream") == ["1"])
        try await journal.close()
    }

    @Test func `a remembered step is not performed again by a retry of the body`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await journal.openPlay(clock: clock) { [done] name in
            .run(name, retry: .constant(maxAttempts: 3, delay: .seconds(5))) { context in
                let number = try await context.step("once") {
                    done.change { $0.append("once") }
                    return context.attempt
                }
                if context.attempt < 3 { throw EffectFailure(description: "busy") }
                return .ended("\(number) \(context.attempt)")
            }
        }
        try await store.dispatch(.start("x"))
        for _ in 1...2 {
            await clock.sleepers(1)
            clock.move(by: .seconds(5))
        }
        try await store.says("1 3")
        #expect(done.value == ["once"])
        try await journal.close()
    }

    @Test func `an effect with more results than one page continues after the last one`() async throws {
        let door = Door()
        let third = StoredSteps.enough / 3
        let effects: @Sendable (String) -> Effect<Play> = { [done] name in
            .run(name) { context in
                var sum = 0
                for number in 1...7 {
                    let text = try await context.step("part") {
                        done.change { $0.append("\(number)") }
                        return String(repeating: "x", count: third + number)
                    }
                    sum = sum * 10 + text.utf8.count - third
                }
                if context.attempt == 1 { await door.pass() }
                return .ended("\(sum)")
            }
        }
        var journal = try openJournal(path, clock)
        var store = try await journal.openPlay(clock: clock, effects: effects)
        try await store.dispatch(.start("x"))
        await door.comers(1)
        try await store.close()
        try await journal.close()
        journal = try openJournal(path, clock)
        store = try await journal.openPlay(clock: clock, effects: effects)
        try await store.says("1234567")
        #expect(done.value == ["1", "2", "3", "4", "5", "6", "7"])
        door.open()
        try await journal.close()
    }

    @Test func `each run has its own remembered steps, also two effects of one step`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await journal.openPlay(clock: clock) { name in
            func effect(_ id: String) -> Effect<Play> {
                .run(id) { context in .ended(try await context.step("same") { name + id }) }
            }
            return effect("1") + effect("2")
        }
        try await store.dispatch(contentsOf: [.start("a"), .start("b")])
        _ = try await store.dispatch(.add(0)) { Set($0.log) == ["a1", "a2", "b1", "b2"] }
        #expect(
            try sql("SELECT step, ordinal, nth, result FROM effect_step ORDER BY step, ordinal") == [
                #"1|0|1|"a1""#, #"1|1|1|"a2""#, #"2|0|1|"b1""#, #"2|1|1|"b2""#,
            ])
        try await journal.close()
    }

    // MARK: Removal

    @Test func `remembered steps are removed with their run`() async throws {
        let journal = try openJournal(path, clock)
        let door = Door()
        let effects: @Sendable (String) -> Effect<Play> = { name in
            .run(name) { context in
                try await context.step("a") {}
                if name == "stays" { await door.pass() }
                return .ended(name)
            }
        }
        var store = try await journal.openPlay(clock: clock, effects: effects)
        try await store.dispatch(contentsOf: [.start("stays"), .start("goes")])
        await door.comers(1)
        try await store.says("goes")
        #expect(try sql("SELECT step FROM effect_step ORDER BY step") == ["1", "2"])
        clock.move(by: .seconds(1))
        try await store.forgetsThePast(journal)
        try await store.close()
        #expect(try sql("SELECT step FROM effect_step") == ["1"])
        #expect(try await journal.verify().isSound)
        door.open()
        store = try await journal.openPlay(clock: clock, effects: effects)
        try await store.says("goes", "stays")
        clock.move(by: .seconds(1))
        try await store.forgetsThePast(journal)
        #expect(try sql("SELECT count(*) FROM effect_step") == ["0"])
        try await journal.close()
    }

    @Test func `remembered steps of an ephemeral effect are not recorded`() async throws {
        let journal = try openJournal(path, clock)
        let results = Box<[Int]>([])
        let store = try await journal.openPlay(clock: clock) { _ in
            .ephemeral { context in
                let number = try await context.step("a") { 7 }
                results.change { $0.append(number) }
            }
        }
        let dispatched = try await store.dispatch(.start("x"))
        await dispatched.completion()
        #expect(results.value == [7])
        #expect(try sql("SELECT count(*) FROM effect_step") == ["0"])
        #expect(try await journal.verify().isSound)
        try await journal.close()
    }
}
