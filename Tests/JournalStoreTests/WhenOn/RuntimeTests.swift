import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

private typealias State = Kitchen.State
private typealias Event = Kitchen.Event
private typealias Output = Kitchen.Output
private typealias Runtime = JournalStore.Runtime<State, Event, Output>
private typealias Stove = Kitchen.Stove

@Suite struct `A runtime`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    func machine(_ runtime: JournalStore.Runtime<Kitchen.State, Kitchen.Event, Kitchen.Output>) -> Machine<
        Kitchen.Event, Kitchen.State, Void
    > {
        Machine("kitchen", Kitchen.machine, runtime: runtime)
    }

    func statuses() throws -> [String] {
        try sql("SELECT name, status FROM effect_run WHERE step > 0 ORDER BY step")
    }

    // MARK: What side effects return

    @Test func `a side effect returns one event, a sequence of events, or nothing`() async throws {
        let rung = Box(0)
        let runtime = Runtime()
            .map(output: Output.cook(dish:)) { dish in
                AsyncStream<Event> { continuation in
                    continuation.yield(.eaten(1))
                    continuation.yield(dish == "soup" ? .ready : .smoke)
                    continuation.finish()
                }
            }
            .map(output: .count, to: { .eaten(-1) })
            .fireAndForget(output: .alarm, to: { rung.change { $0 += 1 } })
            .map(output: .greet, to: { nil })
        let journal = try openJournal(path)
        let store = try await journal.open(machine(runtime), stream: "a")
        await (try await store.dispatch(.order("toast"), trackingFeedback: true)).completion()
        #expect(rung.value == 1)
        await (try await store.dispatch(.clean, trackingFeedback: true)).completion()
        try await journal.close()
        let events = try sql("SELECT name, origin, outcome FROM journal WHERE origin = 'effect' ORDER BY step")
        #expect(events == ["eaten|effect|rejected", "smoke|effect|reduced"])
    }

    @Test func `a side effect that returns nothing can know its run`() async throws {
        let keys = Box<[String]>([])
        let runtime = Runtime()
            .fireAndForget(output: .alarm, with: { context in keys.change { $0.append(context.idempotencyKey) } })
            .fireAndForget(
                output: Output.cook(dish:),
                with: { dish, context in keys.change { $0.append("\(dish) \(context.idempotencyKey)") } }
            )
            .fireAndForget(output: .greet, to: {})
            .fireAndForget(output: .count, to: {})
        let journal = try openJournal(path)
        let store = try await journal.open(machine(runtime), stream: "a")
        await (try await store.dispatch(.order("toast"))).completion()
        await (try await store.dispatch(.smoke)).completion()
        try await store.flush()
        let runs = try journal.reader.effectRuns(in: "a").filter { $0.step > 0 }
        let recorded = try journal.reader.listed(runs, of: "a").compactMap(\.idempotencyKey)
        #expect(recorded.count == 2)
        #expect(keys.value == ["toast \(recorded[0])", recorded[1]])
        try await journal.close()
    }

    @Test func `a resumed sequence leaves out the events that are in the journal`() async throws {
        let (reached, leave) = (Signal(), Signal())
        func runtime(waiting: Bool) -> Runtime {
            Runtime()
                .fireAndForget(output: .greet, to: {})
                .fireAndForget(output: .count, to: {})
                .map(output: Output.cook(dish:)) { _ in
                    let rest = Box([Event.eaten(1), .eaten(2), .ready])
                    return AsyncStream<Event> {
                        if waiting, rest.value.count == 2 {
                            reached.send()
                            await leave.wait()
                        }
                        return rest.change { $0.isEmpty ? nil : $0.removeFirst() }
                    }
                }
        }
        var journal = try openJournal(path)
        var store = try await journal.open(machine(runtime(waiting: true)), stream: "a")
        try await store.dispatch(.order("soup"))
        await reached.wait()
        try await journal.close()
        leave.send()
        journal = try openJournal(path)
        store = try await journal.open(machine(runtime(waiting: false)), stream: "a")
        for await state in store.states where state == .served(0) { break }
        try await journal.close()
        #expect(try sql("SELECT name FROM journal ORDER BY step") == ["order", "eaten", "eaten", "ready"])
        #expect(try sql("SELECT action FROM journal WHERE step = 3") == [#"{"eaten":{"_0":2}}"#])
    }

    @Test func `a sequence that goes on with new events loses none at a retry, if its side effect takes the context`()
        async throws
    {
        @Sendable func stream(_ events: [Event], breaks: Bool) -> AsyncThrowingStream<Event, any Error> {
            AsyncThrowingStream { continuation in
                for event in events { continuation.yield(event) }
                continuation.finish(throwing: breaks ? EffectFailure(description: "broken") : nil)
            }
        }
        let runtime = Runtime()
            .fireAndForget(output: .greet, to: {})
            .fireAndForget(output: .count, to: {})
            .map(
                output: Output.cook(dish:),
                with: { (_: String, context: EffectContext) in
                    context.attempt == 1
                        ? stream([.eaten(1)], breaks: true) : stream([.eaten(2), .ready], breaks: false)
                }, retry: .constant(maxAttempts: 2, delay: .zero))
        let journal = try openJournal(path)
        let store = try await journal.open(machine(runtime), stream: "a")
        await (try await store.dispatch(.order("soup"))).completion()
        try await journal.close()
        #expect(try sql("SELECT name FROM journal ORDER BY step") == ["order", "eaten", "eaten", "ready"])
        #expect(try sql("SELECT action FROM journal WHERE step = 3") == [#"{"eaten":{"_0":2}}"#])
    }

    @Test func `the first side effect that is mapped to an output runs`() async throws {
        let runtime = Runtime()
            .fireAndForget(output: .greet, to: {})
            .map(output: .cook(dish: "soup"), to: { .ready })
            .map(output: Output.cook(dish:)) { _ in .smoke }
        let journal = try openJournal(path)
        for (dish, end) in [("soup", State.served(0)), ("toast", .burnt)] {
            let store = try await journal.open(machine(runtime), stream: dish)
            await (try await store.dispatch(.order(dish), trackingFeedback: true)).completion()
            #expect(store.state == end)
        }
        try await journal.close()
    }

    @Test func `an output without a side effect fails with an error that names it`() async throws {
        let journal = try openJournal(path)
        let store = try await journal.open(machine(Runtime()), stream: "a")
        let dispatched = try await store.dispatch(.order("soup"))
        await dispatched.completion()
        #expect(
            dispatched.errors.map { "\($0)" } == [
                "No side effect is mapped to the output 'cook'. Add it to the runtime."
            ])
        #expect(store.state == .cooking(dish: "soup"))
        try await journal.close()
        #expect(try statuses() == ["cook|failed"])
    }

    @Test func `a side effect knows its run, its priority and its retries`() async throws {
        let seen = Box<[String]>([])
        let runtime = Runtime()
            .fireAndForget(output: .greet, to: {})
            .map(
                output: Output.cook(dish:),
                with: { dish, context in
                    seen.change { $0.append("\(dish) \(context.attempt) \(Task.currentPriority == .background)") }
                    if context.attempt == 1 { throw Kitchen.Busy() }
                    return .ready
                }, priority: .background, retry: .constant(maxAttempts: 2, delay: .zero))
        let journal = try openJournal(path)
        let store = try await journal.open(machine(runtime), stream: "a")
        _ = try await store.dispatch(.order("soup"), until: .served(0))
        #expect(seen.value == ["soup 1 true", "soup 2 true"])
        try await journal.close()
    }

    @Test func `dependencies are injected into each side effect`() async throws {
        let log = Box<[String]>([])
        @Sendable func cook(dish: String, log: Box<[String]>, word: String) async -> Event {
            log.change { $0.append("\(word) \(dish)") }
            return .ready
        }
        let greeted = Signal()
        @Sendable func greet(log: Box<[String]>, greeted: Signal) async {
            log.change { $0.append("hello") }
            greeted.send()
        }
        let runtime = Runtime()
            .map(output: Output.cook(dish:), to: inject(dep: log, "cooks", in: cook(dish:log:word:)))
            .fireAndForget(output: .greet, to: inject(dep: log, greeted, in: greet(log:greeted:)))
            .fireAndForget(output: .count, to: {})
        let journal = try openJournal(path)
        let store = try await journal.open(machine(runtime), stream: "a")
        _ = try await store.dispatch(.order("soup"), until: .served(0))
        await greeted.wait()
        #expect(log.value.sorted() == ["cooks soup", "hello"])
        try await journal.close()
    }

    // MARK: Queues

    @Test func `a queue limits the side effects of an output`() async throws {
        struct OnePot: Oldest1DiscardNewEffectQueue {}
        let stove = Stove()
        let runtime = Runtime()
            .map(output: Output.cook(dish:), to: stove.cook, queue: OnePot())
            .fireAndForget(output: .greet, to: {})
            .fireAndForget(output: .count, to: {})
        let journal = try openJournal(path)
        let store = try await journal.open(machine(runtime), stream: "a")
        try await store.dispatch(.order("soup"))
        await stove.entered.wait()
        try await store.dispatch(.stir)
        stove.leave.send()
        for await state in store.states where state == .served(0) { break }
        #expect(stove.cooked.value == ["soup"])
        try await journal.close()
        #expect(try statuses().prefix(2) == ["cook|completed", "cook|discarded"])
    }

    @Test func `each form of a side effect has a queue`() {
        struct OnePot: Oldest1SuspendNewEffectQueue {}
        let events = AsyncStream<Event> { $0.finish() }
        let soup = Output.cook(dish: "soup")
        let forms: [Runtime] = [
            Runtime().map(output: soup, to: { nil }, queue: OnePot()),
            Runtime().map(output: soup, with: { _ in nil }, queue: OnePot()),
            Runtime().map(output: soup, to: { events }, queue: OnePot()),
            Runtime().map(output: soup, with: { _ in events }, queue: OnePot()),
            Runtime().fireAndForget(output: soup, to: {}, queue: OnePot()),
            Runtime().fireAndForget(output: soup, with: { _ in }, queue: OnePot()),
            Runtime().map(output: Output.cook(dish:), to: { _ in nil }, queue: OnePot()),
            Runtime().map(output: Output.cook(dish:), with: { _, _ in nil }, queue: OnePot()),
            Runtime().map(output: Output.cook(dish:), to: { _ in events }, queue: OnePot()),
            Runtime().map(output: Output.cook(dish:), with: { _, _ in events }, queue: OnePot()),
            Runtime().fireAndForget(output: Output.cook(dish:), to: { _ in }, queue: OnePot()),
            Runtime().fireAndForget(output: Output.cook(dish:), with: { _, _ in }, queue: OnePot()),
        ]
        for (number, form) in forms.enumerated() {
            let haveQueue = form.perform(soup).parts.map { part in
                if case .run(let run) = part { run.queue is OnePot } else { false }
            }
            #expect(haveQueue == [true], "form \(number)")
        }
    }

    // MARK: Strategies

    @Test(arguments: [
        (SideEffectStrategy<State>.continueWhenAnyState, "completed"), (.cancelWhenAnyState, "cancelled"),
        (.cancel(when: .burnt), "cancelled"), (.cancel(when: .idle), "completed"),
        (.cancel(when: State.served), "completed"),
        (
            .cancel(
                when: OneOf {
                    State.served; State.burnt
                }), "cancelled"
        ),
        (.cancel(when: { $0 == .burnt }), "cancelled"), (.cancel(when: { $0 == .idle }), "completed"),
    ])
    fileprivate func `entering a state cancels the side effects whose strategy says so`(
        _ strategy: SideEffectStrategy<State>, _ status: String
    ) async throws {
        let stove = Stove()
        let journal = try openJournal(path)
        let runtime = Kitchen.runtime(cook: stove.cook, strategy: strategy)
        let store = try await journal.open(machine(runtime), stream: "a")
        let ordered = try await store.dispatch(.order("soup"))
        await stove.entered.wait()
        let smoked = try await store.dispatch(.smoke)
        stove.leave.send()
        await ordered.completion()
        await smoked.completion()
        try await journal.close()
        #expect(try statuses() == ["cook|\(status)", "alarm|completed"])
    }

    @Test func `a step does not cancel the output that it executes`() async throws {
        let stove = Stove()
        let journal = try openJournal(path)
        let runtime = Kitchen.runtime(cook: stove.cook, strategy: .cancelWhenAnyState)
        let store = try await journal.open(machine(runtime), stream: "a")
        try await store.dispatch(.order("soup"))
        await stove.entered.wait()
        let second = try await store.dispatch(.stir, trackingFeedback: true)
        await stove.entered.wait()
        stove.leave.send()
        stove.leave.send()
        await second.completion()
        #expect(store.state == .served(0))
        try await journal.close()
        #expect(try statuses() == ["cook|cancelled", "cook|completed", "count|completed"])
    }

    @Test func `a strategy cancels a side effect that a restart has resumed`() async throws {
        let first = Stove()
        var journal = try openJournal(path)
        var store = try await journal.open(machine(Kitchen.runtime(cook: first.cook)), stream: "a")
        try await store.dispatch(.order("soup"))
        await first.entered.wait()
        try await journal.close()
        let second = Stove()
        journal = try openJournal(path)
        let runtime = Kitchen.runtime(cook: second.cook, strategy: .cancel(when: .burnt))
        store = try await journal.open(machine(runtime), stream: "a")
        await second.entered.wait()
        try await store.dispatch(.smoke)
        try await journal.close()
        #expect(try statuses().first == "cook|cancelled")
        first.leave.send()
        second.leave.send()
    }

    // MARK: Restarts

    @Test func `after a restart a recorded output runs through the map of the new code`() async throws {
        let first = Stove()
        var journal = try openJournal(path)
        var store = try await journal.open(machine(Kitchen.runtime(cook: first.cook)), stream: "a")
        try await store.dispatch(.order("soup"))
        await first.entered.wait()
        try await journal.close()
        first.leave.send()
        // The new code cooks only toast, and executes another output in this state.
        let changed = StateMachine<State, Event, Output>(initial: .idle) {
            When(state: State.cooking(dish:)) { _ in
                Execute(output: .alarm)
            } transitions: {
                On(event: .ready) { Move(to: .served(9)) }
            }
        }
        let cooked = Box<[String]>([])
        let runtime = Runtime().map(output: Output.cook(dish:)) { dish in
            cooked.change { $0.append(dish) }
            return .ready
        }
        journal = try openJournal(path)
        store = try await journal.open(Machine("kitchen", changed, runtime: runtime), stream: "a")
        #expect(store.recovery.resumed.map(\.name) == ["cook"])
        for await state in store.states where state == .served(9) { break }
        #expect(cooked.value == ["soup"])
        try await journal.close()
        #expect(try statuses() == ["cook|completed"])
    }

    @Test func `a side effect that restarts cancel is not run again`() async throws {
        let stove = Stove()
        var journal = try openJournal(path)
        let runtime = Kitchen.runtime(cook: stove.cook, restart: .cancel)
        var store = try await journal.open(machine(runtime), stream: "a")
        try await store.dispatch(.order("soup"))
        await stove.entered.wait()
        try await journal.close()
        stove.leave.send()
        journal = try openJournal(path)
        store = try await journal.open(machine(runtime), stream: "a")
        #expect(store.recovery.cancelled.map(\.name) == ["cook"])
        try await journal.close()
        #expect(stove.cooked.value == ["soup"])
    }
}
