import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

private typealias State = Kitchen.State
private typealias Event = Kitchen.Event

@Suite struct `A store of a When/On machine`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    private static let runs = "SELECT step, name, status FROM effect_run ORDER BY step"

    @Test func `a refused event leaves no trace in the state, is journaled as rejected, and interrupts nothing`()
        async throws
    {
        let (entered, leave) = (Signal(), Signal())
        let runtime = Kitchen.runtime(
            cook: { _ in
                entered.send()
                await leave.wait()
                return .ready
            }, strategy: .cancelWhenAnyState)
        let journal = try openJournal(path)
        let store = try await journal.open(Machine("kitchen", Kitchen.machine, runtime: runtime), stream: "a")
        let ordered = try await store.dispatch(.order("soup"), trackingFeedback: true)
        await entered.wait()
        let refused = try await store.dispatch(.eaten(2))
        #expect(refused.outcome == .rejected(reason: "No transition for 'eaten' in the state 'cooking'."))
        #expect(store.state == .cooking(dish: "soup"))
        leave.send()
        await ordered.completion()
        #expect(store.state == .served(0))
        try await store.dispatch(.eaten(0))
        #expect(store.state == .served(0))
        try await journal.close()
        #expect(
            try sql("SELECT step, name, origin, outcome FROM journal") == [
                "1|order|dispatched|reduced", "2|eaten|dispatched|rejected", "3|ready|effect|reduced",
                "4|eaten|dispatched|rejected",
            ])
        #expect(try sql(Self.runs).dropFirst() == ["1|cook|completed", "3|count|completed"])
    }

    @Test func `an output is executed at each step that enters a state, also if the state is equal to the one before`()
        async throws
    {
        let journal = try openJournal(path)
        let machine = Machine("kitchen", Kitchen.machine, runtime: Kitchen.runtime())
        let store = try await journal.open(machine, stream: "a")
        for event in [.order("soup"), .stir, .ready, .eaten(1), .clean] as [Event] {
            await (try await store.dispatch(event)).completion()
        }
        try await journal.close()
        #expect(
            try sql("SELECT step, name FROM effect_run ORDER BY step") == [
                "0|greet", "1|cook", "2|cook", "3|count", "4|count", "5|greet",
            ])
        let ids = try sql("SELECT DISTINCT effect_id FROM effect_run WHERE name = 'cook'")
        #expect(ids == [#"{"\#(String(reflecting: Kitchen.Output.self))":{"cook":{"dish":"soup"}}}"#])
    }

    @Test func `the output of the initial state is executed once in the life of a stream`() async throws {
        let greeted = Signal()
        let runtime = Kitchen.runtime(greet: { greeted.send() })
        let machine = Machine("kitchen", Kitchen.machine, runtime: runtime)
        for opening in 1...3 {
            let journal = try openJournal(path)
            let store = try await journal.open(machine, stream: "a")
            if opening == 1 { await greeted.wait() }
            // Until its end is recorded.
            repeat {
                try await store.flush()
            } while try journal.reader.effectRuns(in: "a").contains { $0.status == .running }
            try await journal.close()
        }
        #expect(try sql(Self.runs) == ["0|greet|completed"])
    }

    @Test func `a machine that begins in another state executes the output of that one, unless it is told otherwise`()
        async throws
    {
        let journal = try openJournal(path)
        var machine = Machine("kitchen", Kitchen.machine, runtime: Kitchen.runtime())
        machine.initialState = .burnt
        let burnt = try await journal.open(machine, stream: "a")
        await burnt.join()
        machine.initialEffect = .none
        machine.initialState = .idle
        let quiet = try await journal.open(machine, stream: "b")
        await quiet.join()
        #expect(burnt.state == .burnt && quiet.state == .idle)
        try await journal.close()
        #expect(try sql(Self.runs) == ["0|alarm|completed"])
    }

    @Test func `a history replays, and a machine that moves elsewhere is found`() async throws {
        let journal = try openJournal(path)
        let machine = Machine("kitchen", Kitchen.machine, runtime: Kitchen.runtime(cook: { _ in .ready }))
        let store = try await journal.open(machine, stream: "a")
        for event in [.order("soup"), .stir, .eaten(2), .eaten(0)] as [Event] {
            await (try await store.dispatch(event, trackingFeedback: true)).completion()
        }
        let end = store.state
        try await journal.close()
        let reader = try JournalReader(path: path)
        let replayer = try Replayer(machine, environment: (), reader: reader, stream: "a")
        #expect(try replayer.verify().divergence == nil)
        #expect(try replayer.state(at: reader.stream("a").headStep) == end)
        #expect(try replayer.state(at: 1) == .cooking(dish: "soup"))
        let other = StateMachine<State, Event, Kitchen.Output>(initial: .idle) {
            When(state: .idle) {
                Execute(output: .greet)
            } transitions: {
                On(event: Event.order) { _ in Move(to: .burnt) }
            }
        }
        let changed = Machine("kitchen", other, runtime: Kitchen.runtime())
        #expect(try Replayer(changed, environment: (), reader: reader, stream: "a").verify().divergence?.step == 1)
    }

    @Test(arguments: [
        SideEffectStrategy<Elevator.State>.continueWhenAnyState, .cancelWhenAnyState, .cancel(when: .closed),
    ])
    func `an elevator ends the same wherever it is killed, and closes its door under one key`(
        _ strategy: SideEffectStrategy<Elevator.State>
    ) async throws {
        let events: [Elevator.Event] = [
            .personsHaveEntered(persons: 3), .doorHasLocked, .personsHaveEntered(persons: 4), .closeButtonWasPressed,
        ]
        let report = try await CrashMatrix(actions: events) { outside in
            Elevator.machine(
                Elevator.Engine { speed, key in outside?.call("close \(speed)", key: key) }, strategy: strategy)
        }.run()
        #expect(report.effects == 1 && report.cuts > 10 && report.unfinished == 0, "\(report)")
    }

    @Test func `a script kills an elevator that is made with the outside`() async throws {
        let script: [CrashStep<Elevator.Event>] = [
            .dispatch(.personsHaveEntered(persons: 3)), .dispatch(.closeButtonWasPressed), .advance(.seconds(60)),
        ]
        let report = try await CrashMatrix(script: script) { outside in
            Elevator.machine(Elevator.Engine { speed, key in outside?.call("close \(speed)", key: key) })
        }.run()
        #expect(report.effects == 1 && report.unfinished == 0, "\(report)")
    }

    @Test func `a step of a When/On machine sends a message to another one`() async throws {
        let journal = try openJournal(path)
        let elevator = Elevator.machine()
        let kitchen = Machine("kitchen", Kitchen.machine, runtime: Kitchen.runtime())
            .connected(to: elevator, stream: "elevator") { step in
                if case .served = step.after { .personsHaveEntered(persons: 2) } else { nil }
            }
        let lift = try await journal.open(elevator, stream: "elevator")
        let store = try await journal.open(kitchen, stream: "kitchen")
        try await store.dispatch(.order("soup"))
        try await store.dispatch(.ready)
        for await state in lift.states where state == .open(persons: 2) { break }
        #expect(lift.state == .open(persons: 2))
        try await journal.close()
    }

    @Test func `dispatch waits for a state, for one of several, for a case, or for a condition`() async throws {
        let journal = try openJournal(path)
        let runtime = Kitchen.runtime(cook: { $0 == "soup" ? .ready : .smoke })
        let store = try await journal.open(Machine("kitchen", Kitchen.machine, runtime: runtime), stream: "a")
        #expect(try await store.dispatch(.order("soup"), until: .served(0)) == .served(0))
        #expect(try await store.dispatch(.eaten(3), until: State.served) == .served(3))
        #expect(try await store.dispatch(.clean, until: { $0 == .idle }) == .idle)
        let end = OneOf {
            State.served
            State.burnt
        }
        #expect(try await store.dispatch(.order("toast"), until: end) == .burnt)
        try await journal.close()
    }
}
