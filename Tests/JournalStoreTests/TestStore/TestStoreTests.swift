import JournalStore
import Testing

@testable import JournalTesting

@Suite struct `The test store` {
    @Test func `a test asserts each change of the state and each action of an effect`() async throws {
        let store = try await TestStore(purchase, environment: PurchaseWorld())
        await store.send(.add("apple")) { $0.items = ["apple"] }
        await store.send(.pay)
        await store.receive(.paid("1 items")) { $0.receipt = "1 items" }
        #expect(store.state == Purchase(items: ["apple"], receipt: "1 items"))
        await store.finish()
    }

    @Test func `a test begins with the machine's state, or with its own`() async throws {
        let tested = try await Tested(Purchase(items: ["pear"]))
        #expect(tested.store.state == Purchase(items: ["pear"]))
        await tested.store.send(.add("apple")) { $0.items = ["pear", "apple"] }
        await tested.store.restart()
        #expect(tested.store.store.state == Purchase(items: ["pear", "apple"]))
        await tested.store.finish()
        #expect(tested.messages == [])
    }

    @Test func `a dispatch with a cancel ID can be cancelled, by the ID and as a whole`() async throws {
        let tested = try await Tested()
        await tested.store.send(.wait, cancelID: "all", priority: .high)
        let second = await tested.store.send(.wait)
        #expect(try await tested.store.store.liveRuns().map(\.priority) == [Int(TaskPriority.high.rawValue), nil])
        try await tested.store.store.cancel(id: "all")
        #expect(try await tested.store.store.liveRuns().map(\.step) == [2])
        try await second?.cancel()
        await tested.store.finish()
        #expect(tested.messages == [])
    }

    @Test func `a clock that a journal follows stops if effects lead to each other for ever`() async throws {
        let clock = ManualClock()
        clock.stillness.activity.change { $0.patience = 200 }
        var options = Journal.Options()
        options.follow(clock)
        let machine = Machine<Int, Int, Void>("endless", initialState: 0) { number, state, _ in
            state = number
            return .run("again") { number + 1 }
        }
        let journal = try Journal.inMemory(options: options)
        let store = try await journal.open(machine, stream: "a", clock: clock)
        try await store.dispatch(1)
        #expect(await clock.runUntilIdle() == false)
        #expect(await clock.advance(by: .seconds(60)) == false)
        #expect(clock.now.offset == .zero)
        try await journal.close()
    }

    @Test func `a cascade belongs to the step that returned it`() async throws {
        let tested = try await Tested()
        await tested.store.send(.addTwo("apple")) { $0.items = ["apple", "apple"] }
        await tested.store.finish()
        #expect(tested.messages == [])
    }

    @Test func `an action is received by value, by case or by condition`() async throws {
        let tested = try await Tested(Purchase(items: ["apple"]))
        await tested.store.send(.pay)
        await tested.store.receive(CasePath(PurchaseAction.paid)) { $0.receipt = "1 items" }
        await tested.store.send(.watch)
        await tested.store.advance(by: .seconds(2))
        await tested.store.receive {
            $0 == .add("tick")
        } changes: {
            $0.items.append("tick")
        }
        await tested.store.receive(.add("tick")) { $0.items.append("tick") }
        await tested.store.send(.unwatch)
        await tested.store.finish()
        #expect(tested.messages == [])
    }

    @Test func `a rejection is asserted with its reason`() async throws {
        let tested = try await Tested()
        await tested.store.send(.pay, rejected: "Nothing is ordered.")
        await tested.store.send(.add("apple")) { $0.items = ["apple"] }
        await tested.store.send(.pay)
        await tested.store.receive(.paid("1 items")) { $0.receipt = "1 items" }
        await tested.store.send(.pay)
        await tested.store.receive(.paid("1 items"), rejected: "It is paid.")
        await tested.store.finish()
        #expect(tested.messages == [])
    }

    @Test func `a repeated dispatch changes nothing`() async throws {
        let tested = try await Tested()
        await tested.store.send(.add("apple"), id: "one") { $0.items = ["apple"] }
        await tested.store.send(.add("apple"), id: "one")
        await tested.store.finish()
        #expect(tested.messages == [])
    }

    @Test func `only the test advances the clock, and stops at each moment that is due`() async throws {
        let tested = try await Tested()
        await tested.store.send(.remind)
        await tested.store.send(.watch)
        await tested.store.advance(by: .milliseconds(900))
        await tested.store.send(.unwatch)
        await tested.store.advance(by: .seconds(59))
        await tested.store.send(.watch)
        await tested.store.advance(by: .seconds(1))
        // Due after 60 s and 60.9 s.
        await tested.store.receive(.add("reminder")) { $0.items = ["reminder"] }
        await tested.store.receive(.add("tick")) { $0.items = ["reminder", "tick"] }
        await tested.store.send(.unwatch)
        await tested.store.finish()
        #expect(tested.messages == [])
    }

    @Test func `dates and random values are the same in each test, unless it gives another clock or seed`() async throws
    {
        func drawn(_ clock: ManualClock = ManualClock(), seed: UInt64 = 0) async throws -> [String] {
            let tested = try await Tested(clock: clock, seed: seed)
            tested.store.exhaustivity = .off
            await tested.store.send(.draw)
            await tested.store.send(.draw)
            await tested.store.finish()
            return tested.store.state.drawn
        }
        let first = try await drawn()
        #expect(Set(first).count == 2)
        #expect(first[0].hasPrefix("2026-01-01T00:00:00.000000Z "))
        #expect(try await drawn() == first)
        #expect(try await drawn(seed: 1) != first)
        #expect(try await drawn(ManualClock(at: Timestamp(microseconds: 0))) != first)
    }

    @Test func `a test that is not exhaustive asserts only what it names`() async throws {
        let tested = try await Tested()
        tested.store.exhaustivity = .off
        await tested.store.send(.addTwo("apple"))
        await tested.store.send(.listen)
        await tested.store.send(.pay)
        await tested.store.send(.addTwo("pear")) { $0.receipt = "2 items" }
        await tested.store.send(.watch)
        await tested.store.send(.pay)
        await tested.store.advance(by: .seconds(1))
        await tested.store.receive(.add("tick")) { $0.items[4] = "tick" }
        #expect(tested.store.state.items.count == 5)
        await tested.store.finish()
        #expect(tested.messages == [])
    }

    /// A machine's effect that ends when the door opens.
    private func behind(_ door: Door) -> PurchaseWorld {
        var world = PurchaseWorld()
        world.charge = { _ in
            await door.pass()
            return "late"
        }
        return world
    }

    @Test func `an action is waited for that comes from something outside`() async throws {
        let door = Door()
        let tested = try await Tested(Purchase(items: ["apple"]), world: behind(door))
        tested.store.timeLimit = .seconds(3600)
        await tested.store.send(.pay)
        Task {
            await door.comers(1)
            door.open()
        }
        await tested.store.receive(.paid("late")) { $0.receipt = "late" }
        await tested.store.finish()
        #expect(tested.messages == [])
    }

    @Test func `finish waits for effects that wait for something outside, and not for those that wait for the clock`()
        async throws
    {
        let door = Door()
        let tested = try await Tested(Purchase(items: ["apple"]), world: behind(door))
        tested.store.timeLimit = .seconds(3600)
        await tested.store.send(.pay)
        await tested.store.send(.remind)
        let isOpen = Box(false)
        Task {
            await door.comers(1)
            isOpen.change { $0 = true }
            door.open()
        }
        await tested.store.finish()
        #expect(isOpen.value)
        #expect(
            tested.messages == [
                "The test is not finished, because the test has not received:\n  step 3, from effect: .paid(\"late\")",
                "Effects have not ended:\n"
                    + "  'add' of step 2, ID {\"String\":\"reminder\"}: delayed until 2026-01-01T00:01:00.000000Z\n"
                    + "  The next one is due when the clock is advanced by 60.0 seconds.",
            ])
    }

    @Test func `the folder of the journal is removed afterwards`() async throws {
        var tested: Tested? = try await Tested()
        let file = try #require(tested?.store.journal.file)
        #expect(try bytes(file).count > 0)
        await tested?.store.finish()
        tested = nil
        #expect(throws: (any Error).self) { try bytes(file) }
    }
}
