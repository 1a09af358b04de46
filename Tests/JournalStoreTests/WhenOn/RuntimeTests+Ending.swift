import Testing
import TortureKit

@testable import JournalStore

private typealias State = Kitchen.State
private typealias Event = Kitchen.Event
private typealias Output = Kitchen.Output
private typealias Runtime = JournalStore.Runtime<State, Event, Output>
private typealias Stove = Kitchen.Stove

/// The actions of a machine of which the kitchen is a part.
private enum House: Codable, Sendable, Equatable {
    case kitchen(Event), bell

    static func machine(_ runtime: Runtime) -> Machine<House, State, Void> {
        let kitchen = CasePath<House, Event>(
            embed: { .kitchen($0) }, extract: { if case .kitchen(let event) = $0 { event } else { nil } })
        return Machine(
            "house", initialState: State.idle,
            reducer: Kitchen.machine.reducer(runtime: runtime).contramap(action: kitchen, scope: "kitchen"))
    }
}

/// What a side effect dispatches when it has failed or was cancelled.
extension `A runtime` {
    // MARK: Failures

    @Test func `a side effect that has finally failed dispatches an event`() async throws {
        let attempts = Box(0)
        let runtime = Runtime()
            .fireAndForget(output: .greet, to: {})
            .map(
                output: Output.cook(dish:),
                to: { dish in
                    attempts.change { $0 += 1 }
                    if dish == "soup" { throw Kitchen.Busy() }
                    return .ready
                }, retry: .constant(maxAttempts: 2, delay: .zero)
            )
            .onFailure(output: .alarm) { _ in .clean }
            .onFailure(output: Output.cook(dish:)) { dish, error in
                dish == "soup" && error is Kitchen.Busy && attempts.value == 2 ? .smoke : nil
            }
            .onFailure(output: Output.cook(dish:)) { _, _ in .ready }
        let journal = try openJournal(path)
        let store = try await journal.open(machine(runtime), stream: "a")
        // Nothing is mapped to the alarm: that is a failure too.
        let dispatched = try await store.dispatch(.order("soup"), trackingFeedback: true)
        await dispatched.completion()
        #expect(store.state == .idle)
        try await journal.close()
        #expect(
            try sql("SELECT name, origin, cause FROM journal ORDER BY step") == [
                "order|dispatched|", "smoke|effect|step 1, effect 0", "clean|effect|step 2, effect 0",
            ])
        #expect(try statuses().prefix(2) == ["cook|failed", "alarm|failed"])
    }

    @Test func `a failure whose function returns nil dispatches nothing`() async throws {
        let runtime = Kitchen.runtime(cook: { _ in throw Kitchen.Busy() })
            .onFailure(output: .cook(dish: "soup")) { _ in nil }
        let journal = try openJournal(path)
        let store = try await journal.open(machine(runtime), stream: "a")
        await (try await store.dispatch(.order("soup"))).completion()
        #expect(store.state == .cooking(dish: "soup"))
        try await journal.close()
        #expect(try statuses() == ["cook|failed"])
    }

    @Test func `after a restart a failure dispatches what the new code says, and the output stays recorded as a value`()
        async throws
    {
        let stove = Stove()
        var journal = try openJournal(path)
        let before = Kitchen.runtime(cook: stove.cook).onFailure(output: Output.cook(dish:)) { _, _ in .ready }
        var store = try await journal.open(machine(before), stream: "a")
        try await store.dispatch(.order("soup"))
        await stove.entered.wait()
        try await journal.close()
        stove.leave.send()
        #expect(try sql("SELECT described IS NOT NULL FROM effect_run WHERE step = 1") == ["1"])
        let now = Kitchen.runtime(cook: { _ in throw Kitchen.Busy() }).onFailure(output: Output.cook(dish:)) { _, _ in
            .smoke
        }
        journal = try openJournal(path)
        store = try await journal.open(machine(now), stream: "a")
        for await state in store.states where state == .burnt { break }
        try await journal.close()
        #expect(try statuses().first == "cook|failed")
    }

    @Test func `a reducer that is lifted lifts the events of its failures`() async throws {
        let runtime = Kitchen.runtime(cook: { _ in throw Kitchen.Busy() })
            .onFailure(output: Output.cook(dish:)) { _, _ in .smoke }
        let journal = try openJournal(path)
        let store = try await journal.open(House.machine(runtime), stream: "a")
        _ = try await store.dispatch(.kitchen(.order("soup"))) { $0 == .burnt }
        try await journal.close()
    }

    // MARK: Cancellations

    @Test func `a side effect that is cancelled dispatches the first event for its output, also after a restart`()
        async throws
    {
        let (toaster, stove) = (Stove(), Stove())
        let runtime = Kitchen.runtime(
            cook: { dish in await (dish == "soup" ? stove : toaster).cook(dish) },
            strategy: .cancel(when: State.cooking(dish:))
        )
        .onCancel(output: .alarm, .clean)
        .onCancel(output: Output.cook(dish:)) { dish in dish == "soup" ? .smoke : nil }
        .onCancel(output: .cook(dish: "soup"), .ready)
        .onCancel(output: .cook(dish: "toast"), .ready)
        var journal = try openJournal(path)
        var store = try await journal.open(machine(runtime), stream: "a")
        try await store.dispatch(.order("toast"))
        await toaster.entered.wait()
        // The strategy cancels the toast, for which the first function returns no event.
        try await store.dispatch(.order("soup"))
        await stove.entered.wait()
        try await journal.close()
        toaster.leave.send()
        stove.leave.send()
        let ended = try statuses()
        #expect(ended == ["cook|cancelled", "cook|running"])

        // The event is recorded: it does not matter that the new code has none.
        let waiting = Stove()
        journal = try openJournal(path)
        store = try await journal.open(machine(Kitchen.runtime(cook: waiting.cook)), stream: "a")
        await waiting.entered.wait()
        try await store.cancel(id: Output.cook(dish: "soup"))
        for await state in store.states where state == .burnt { break }
        waiting.leave.send()
        try await journal.close()
        #expect(
            try sql("SELECT name, origin, cause FROM journal ORDER BY step") == [
                "order|dispatched|", "order|dispatched|", "smoke|effect|step 2, effect 0",
            ])
    }

    @Test func `a side effect that the code does not know any more dispatches the event for its output`() async throws {
        let stove = Stove()
        let runtime = Kitchen.runtime(cook: stove.cook)
            .onOrphan(output: .alarm, .clean)
            .onOrphan(output: Output.cook(dish:)) { dish in dish == "soup" ? .smoke : nil }
            .onOrphan(output: .cook(dish: "soup"), .ready)
        var journal = try openJournal(path)
        let first = machine(runtime)
        try await journal.open(first, stream: "a").dispatch(.order("soup"))
        await stove.entered.wait()
        try await journal.close()
        stove.leave.send()
        // Code without this type of outputs.
        let later = Machine<Event, State, Void>(first.name, initialState: .idle) { event, state, _ in
            if event == .smoke { state = .burnt }
            return .none
        }
        journal = try openJournal(path)
        let store = try await journal.open(later, stream: "a")
        for await state in store.states where state == .burnt { break }
        try await journal.close()
        #expect(try statuses() == ["cook|cancelled"])
        #expect(try sql("SELECT name, origin FROM journal ORDER BY step") == ["order|dispatched", "smoke|restart"])
    }

    @Test func `a reducer that is lifted lifts the events of its cancellations`() async throws {
        let stove = Stove()
        let runtime = Kitchen.runtime(cook: stove.cook).onCancel(output: .cook(dish: "soup"), .smoke)
        let journal = try openJournal(path)
        let store = try await journal.open(House.machine(runtime), stream: "a")
        try await store.dispatch(.kitchen(.order("soup")))
        await stove.entered.wait()
        try await store.cancel(ids: { _ in true })
        for await state in store.states where state == .burnt { break }
        stove.leave.send()
        try await journal.close()
    }
}
