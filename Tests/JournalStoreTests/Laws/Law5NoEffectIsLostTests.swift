import JournalTesting
import Testing

@testable import JournalStore

@Suite struct `Law 5: no effect is lost` {
    let deaths: Deaths
    let started = Box<[String]>([])

    init() throws { deaths = try Deaths() }

    private func open(_ journal: Journal) async throws -> Store<Play, Score> {
        try await journal.openPlay { [started] name in
            .run(name, id: name) {
                started.change { $0.append(name) }
                return .ended(name)
            }
        }
    }

    @Test func `an entry without a recorded outcome is reduced again, settled, and its effects start`() async throws {
        // The process ends between the append and the reducer: only the entries exist.
        let journal = try deaths.open()
        try await (try await open(journal)).close()
        let stream = try await journal.openStream("a", machine: "play")
        try await stream.append(contentsOf: [#"{"start":{"_0":"x"}}"#, #"{"start":{"_0":"y"}}"#])
        try await stream.close()
        #expect(try deaths("SELECT settled_step FROM stream") == ["0"])

        let store = try await open(journal)
        #expect(store.recovery.unsettledSteps == 2)
        _ = try await store.dispatch(.add(1)) { Set($0.log) == ["x", "y"] }
        try await store.close()
        #expect(Set(started.value) == ["x", "y"])
        #expect(try deaths("SELECT name, status FROM effect_run ORDER BY step") == ["x|completed", "y|completed"])
        #expect(try deaths("SELECT settled_step = head_step FROM stream") == ["1"])
        try await journal.close()
    }

    @Test func `the delay of an effect counts from its step, also if only an opening settles that`() async throws {
        let journal = try deaths.open()
        try await (try await open(journal)).close()
        let stream = try await journal.openStream("a", machine: "play")
        try await stream.append(contentsOf: [#"{"start":{"_0":"x"}}"#])
        try await stream.close()
        deaths.clock.move(by: .seconds(6))
        let store = try await journal.openPlay(clock: deaths.clock) { name in
            .run(name, id: name, delay: .seconds(10)) { .ended(name) }
        }
        try await store.flush()
        let due = Timestamp(microseconds: deaths.clock.wallClock().microseconds + 4_000_000)
        #expect(try await store.liveRuns().map(\.notBefore) == [due])
        deaths.clock.move(by: .seconds(4))
        _ = try await store.dispatch(.add(1)) { $0.log == ["x"] }
        try await journal.close()
    }

    @Test func `a tick that came due while no process ran is left out, also if only an opening settles its timer`()
        async throws
    {
        let journal = try deaths.open()
        try await (try await open(journal)).close()
        let stream = try await journal.openStream("a", machine: "play")
        try await stream.append(contentsOf: [#"{"start":{"_0":"x"}}"#])
        try await stream.close()
        deaths.clock.move(by: .seconds(7))
        let store = try await journal.openPlay(clock: deaths.clock) { name in
            .every(.seconds(4), .ended(name), missed: .none, id: name)
        }
        let due = Timestamp(microseconds: deaths.clock.wallClock().microseconds + 1_000_000)
        #expect(try await store.liveRuns().map(\.notBefore) == [due])
        deaths.clock.move(by: .seconds(1))
        _ = try await store.dispatch(.add(1)) { !$0.log.isEmpty }
        #expect(store.state.log == ["x"])
        #expect(try await store.liveRuns().map(\.delivered) == [1])
        try await journal.close()
    }

    @Test func `a step is settled on the disk before its effects start`() async throws {
        // In the recovery too: a body sees the committed settlement watermark.
        let journal = try deaths.open()
        try await (try await open(journal)).close()
        let stream = try await journal.openStream("a", machine: "play")
        try await stream.append(contentsOf: (0..<50).map { #"{"start":{"_0":"\#($0)"}}"# })
        try await stream.close()
        let seen = Box<[String]>([])
        let store = try await journal.openPlay { [deaths] name in
            .run(name, id: name) {
                let settled = try deaths("SELECT settled_step >= 50 FROM stream")
                seen.change { $0 += settled }
                return .ended(name)
            }
        }
        _ = try await store.dispatch(.add(1)) { $0.log.count == 50 }
        #expect(seen.value == Array(repeating: "1", count: 50))
        try await journal.close()
    }

    @Test(arguments: [true, false])
    func `a record that cannot be written holds the settlement watermark and is reported once`(
        _ isWritableAgain: Bool
    ) async throws {
        var journal = try deaths.open()
        try await (try await open(journal)).close()
        // Stands for any error that has nothing to do with the disk's room.
        try await journal.refuse("INSERT ON effect_run")
        let running = Signal()
        let opened = try await journal.openPlay { name in
            .run(name, id: name) {
                running.send()
                try await forever()
                return nil
            }
        }
        let store = opened
        try await store.dispatch(.start("x"))
        await running.wait()
        for _ in 0..<20 { try await store.dispatch(.add(1)) }
        let refused = await journalError { try await store.flush() }
        #expect(refused?.code == .notStorable)
        #expect(await journalError { try await store.flush() }?.code == .notStorable)
        #expect(try deaths("SELECT head_step, settled_step FROM stream") == ["21|0"])
        #expect(deaths.notices.value.map(\.kind) == [.recordIncomplete])
        #expect(deaths.notices.value.first?.error.stream == "a")

        try await journal.refuseNothing()
        if isWritableAgain {
            try await store.flush()
            #expect(try deaths("SELECT head_step, settled_step FROM stream") == ["21|21"])
            #expect(try deaths("SELECT name, status FROM effect_run") == ["x|running"])
        }
        try deaths.kill()
        journal = try deaths.open()
        let again = try await open(journal)
        _ = try await again.dispatch(.add(1)) { $0.log == ["x"] }
        #expect(started.value == ["x"])
        #expect(again.state.sum == 21)
        try await again.close()
        #expect(try await journal.verify().isSound)
    }

    @Test func `a cancel that cannot be recorded throws`() async throws {
        let journal = try deaths.open()
        let store = try await journal.openPlay { name in
            .run(name, id: name) {
                try await forever(); return nil
            }
        }
        try await store.dispatch(.start("x"))
        try await store.flush()
        try await journal.refuse("UPDATE ON effect_run")
        #expect(await journalError { try await store.cancel(id: "x") }?.code == .notStorable)
        #expect(try deaths("SELECT status FROM effect_run") == ["running"])
        try await journal.refuseNothing()
        try await store.flush()
        #expect(try deaths("SELECT status FROM effect_run") == ["cancelled"])
    }

    @Test func `effects of a stream whose records cannot be written fail, and other streams go on`() async throws {
        let journal = try deaths.open()
        let store = try await open(journal)
        let other = try await journal.openPlay("b") { [started] name in
            .run(name, id: name) {
                started.change { $0.append("b \(name)") }
                return .ended(name)
            }
        }
        let id = try deaths("SELECT id FROM stream WHERE name = 'a'")[0]
        try await journal.refuse("INSERT ON effect_run WHEN new.stream = \(id)")
        // The body runs, but the action that it ends with builds on a record that is missing.
        let dispatched = try await store.dispatch(.start("x"))
        await dispatched.completion()
        #expect(dispatched.errors.count == 1)
        #expect(store.state.log == [])
        // A start that must be recorded before fails at once, also after the error is known.
        let once = try await journal.openPlay("c") { name in .run(name, restart: .cancel) { .ended(name) } }
        _ = try await once.dispatch(.start("c")) { $0.log == ["c"] }
        for _ in 0..<3 { try await store.dispatch(.add(1)) }
        _ = try await other.dispatch(.start("y")) { $0.log == ["y"] }
        try await other.flush()
        #expect(try deaths("SELECT count(*) FROM effect_run WHERE status = 'completed'") == ["2"])
        #expect(try deaths("SELECT settled_step FROM stream WHERE name = 'a'") == ["0"])
        try await journal.refuseNothing()
        try await store.flush()
        #expect(try deaths("SELECT status FROM effect_run WHERE stream = \(id)") == ["failed"])
        try await journal.close()
    }
}
