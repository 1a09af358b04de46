import JournalStore
import JournalTesting
import Testing

@Suite struct `A restart in the test store` {
    private func waiting(_ restart: Effect<PurchaseAction>.Restart) async throws -> Tested {
        var world = PurchaseWorld()
        world.restart = restart
        let tested = try await Tested(world: world)
        await tested.store.send(.wait)
        await tested.store.restart()
        return tested
    }

    @Test func `an effect is resumed`() async throws {
        let tested = try await waiting(.resume)
        #expect(tested.store.recovery.resumed.map(\.name) == ["wait"])
        #expect(try await tested.store.store.liveRuns().map(\.attempts) == [2])
        try await tested.store.store.cancel(id: 1)
        await tested.store.finish()
        #expect(tested.messages == [])
    }

    @Test func `an effect is cancelled`() async throws {
        let tested = try await waiting(.cancel)
        #expect(tested.store.recovery.cancelled.map(\.name) == ["wait"])
        await tested.store.finish()
        #expect(tested.messages == [])
    }

    @Test func `an effect is asked about`() async throws {
        let tested = try await waiting(.ask)
        #expect(tested.store.recovery.asked.map(\.name) == ["wait"])
        await tested.store.finish()
        #expect(tested.messages == ["Effects have not ended:\n  'wait' of step 1, ID {\"Int\":1}: asked"])
    }

    @Test func `the action that a restart sends is received`() async throws {
        let tested = try await waiting(.dispatch(.failed))
        await tested.store.receive(.failed) { $0.receipt = "failed" }
        await tested.store.finish()
        #expect(tested.messages == [])
    }

    @Test func `a timer goes on, and options apply`() async throws {
        let tested = try await Tested()
        await tested.store.send(.remind)
        await tested.store.advance(by: .seconds(59))
        await tested.store.restart()
        await tested.store.advance(by: .seconds(1))
        await tested.store.receive(.add("reminder")) { $0.items = ["reminder"] }
        await tested.store.send(.wait)
        var options = OpenOptions()
        options.restart = .cancel
        await tested.store.restart(options: options)
        await tested.store.finish()
        #expect(tested.messages == [])
    }

    @Test func `the options of the test store apply to its restarts, unless one has its own`() async throws {
        var options = OpenOptions()
        options.restart = .ask
        let tested = try await Tested(options: options)
        await tested.store.send(.wait)
        await tested.store.restart()
        #expect(tested.store.recovery.asked.map(\.name) == ["wait"])
        let asked = try await tested.store.store.liveRuns()
        for run in asked { try await tested.store.store.release(run.key) }
        options.restart = .cancel
        await tested.store.restart(options: options)
        #expect(tested.store.recovery.cancelled.map(\.name) == ["wait"])
        await tested.store.finish()
        #expect(tested.messages == [])
    }

    @Test func `a body that outlives its opening, or its run, is no effect`() async throws {
        let gate = Door()
        var world = PurchaseWorld()
        world.charge = { _ in
            await gate.pass()
            return ""
        }
        let tested = try await Tested(Purchase(items: ["apple"]), world: world)
        await tested.store.send(.probe)
        await tested.store.restart()
        await tested.store.send(.pay)
        await tested.store.send(.cancelPayment)
        await tested.store.finish()
        #expect(tested.messages == [])
        gate.open()
    }

    @Test func `a restart fails if a replay gives another state`() async throws {
        let weather = Box(" in the sun")
        var world = PurchaseWorld()
        world.impurity = { weather.value }
        let tested = try await Tested(world: world)
        tested.store.exhaustivity = .off
        await tested.store.send(.add("apple"))
        await tested.store.send(.unwatch)
        weather.change { $0 = " in the rain" }
        await tested.store.restart()
        #expect(
            tested.messages == [
                """
                A replay does not give the same: step 1 (add): the snapshot holds a different state than the replay; \
                expected → found.
                  items[0]: "apple in the sun" → "apple in the rain"
                If the code was changed, raise the machine's version. If a stored property was renamed or changed, convert the \
                states too, or its value is lost. If neither, the reducer is not pure: look for Date() and UUID() (its step has \
                both), random() without 'using: &step', global variables, static properties and values of the environment; then \
                for the order of a set or dictionary (sort what it iterates over), and for a value that its Codable conformance \
                does not give back.
                """
            ])
        await tested.store.finish()
    }
}
