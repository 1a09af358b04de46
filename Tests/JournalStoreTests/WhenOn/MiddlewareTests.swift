import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

private typealias State = Kitchen.State
private typealias Event = Kitchen.Event

@Suite struct `Middleware`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    private struct Broken: Error {}

    @Test func `it gets each event and each state that is entered, in order, and nothing of a replay`() async throws {
        let seen = Box<[String]>([])
        let called = Signal()
        // Of each step, the event comes first all the same.
        let runtime = Kitchen.runtime()
            .register(middleware: { (state: State) in
                seen.change { $0.append("state \(state)") }
                called.send()
            })
            .register(middleware: { (event: Event) in
                seen.change { $0.append("event \(event)") }
                called.send()
            })
        let machine = Machine("kitchen", Kitchen.machine, runtime: runtime)
        var journal = try openJournal(path)
        var store = try await journal.open(machine, stream: "a")
        for event in [.order("soup"), .eaten(1), .ready] as [Event] { try await store.dispatch(event) }
        await called.wait(times: 5)
        try await journal.close()
        let first = [
            "event order(\"soup\")", "state cooking(dish: \"soup\")", "event eaten(1)", "event ready",
            "state served(0)",
        ]
        #expect(seen.value.map { $0.replacing("\(Kitchen.self).", with: "") } == first)
        let reader = try JournalReader(path: path)
        #expect(try Replayer(machine, environment: (), reader: reader, stream: "a").verify().divergence == nil)
        var options = Journal.Options()
        options.snapshots = SnapshotPolicy(everySteps: nil)
        journal = try Journal(path: path, options: options)
        store = try await journal.open(machine, stream: "a")
        try await store.dispatch(.clean)
        await called.wait(times: 2)
        try await journal.close()
        #expect(seen.value.dropFirst(first.count) == ["event clean", "state idle"])
    }

    @Test func `what it throws is reported, and neither the machine nor other middleware stops`() async throws {
        let called = Signal()
        let notices = Box<[Notice]>([])
        let runtime = Kitchen.runtime()
            .register(middleware: { (_: Event) in throw Broken() })
            .register(middleware: { (_: State) in called.send() })
        var options = Journal.Options()
        options.report = { notice in notices.change { $0.append(notice) } }
        let journal = try Journal(path: path, options: options)
        let store = try await journal.open(Machine("kitchen", Kitchen.machine, runtime: runtime), stream: "a")
        try await store.dispatch(.order("soup"))
        try await store.dispatch(.ready)
        await called.wait(times: 2)
        #expect(store.state == .served(0))
        try await journal.close()
        #expect(notices.value.map(\.kind) == [.middlewareFailed, .middlewareFailed])
        let error = notices.value.first?.error
        #expect(error?.step == 1 && error?.stream == "a" && error?.code == .middlewareFailed)
        #expect(error?.message.hasSuffix("Broken.") == true)
    }

    @Test func `a store that is released ends its middleware`() async throws {
        let called = Signal()
        weak var engine: AnyObject?
        let journal = try openJournal(path)
        do {
            let runtime = Kitchen.runtime().register(middleware: { (_: Event) in called.send() })
            let store = try await journal.open(Machine("kitchen", Kitchen.machine, runtime: runtime), stream: "a")
            engine = store.engine
            try await store.dispatch(.order("soup"))
            await called.wait()
        }
        // The next opening waits until the release is finished.
        let store = try await journal.open(Machine("kitchen", Kitchen.machine, runtime: Kitchen.runtime()), stream: "a")
        #expect(store.state == .cooking(dish: "soup"))
        try await journal.close()
        while engine != nil { await Task.yield() }
    }

    @Test func `a store that is closed has called it for each step, and the next store's calls come later`()
        async throws
    {
        let seen = Box<[Int]>([])
        let machine = Machine<Int, Int, Void>("counter", initialState: 0) { number, state, _ in
            state = number
            return .none
        }
        func counter() -> Machine<Int, Int, Void> {
            var machine = machine
            machine.middleware = [
                JournalStore.Middleware { step in
                    for _ in 0..<100 { await Task.yield() }
                    seen.change { $0.append(step.action) }
                }
            ]
            return machine
        }
        let journal = try openJournal(path)
        for round in 0..<3 {
            let store = try await journal.open(counter(), stream: "a")
            for number in 0..<10 { try await store.dispatch(round * 10 + number) }
            // A store that is released instead is followed in the same order.
            if round < 2 { try await store.close() }
        }
        let last = try await journal.open(counter(), stream: "a")
        #expect(seen.value == Array(0..<30))
        try await last.dispatch(30)
        try await journal.close()
        #expect(seen.value == Array(0..<31))
    }

    @Test func `it goes on after steps that were pruned before it was called for them, and that is reported`()
        async throws
    {
        let seen = Box<[Int]>([])
        let notices = Box<[Notice]>([])
        let door = Door()
        var machine = Machine<Int, Int, Void>("counter", initialState: 0) { number, state, _ in
            state = number
            return .none
        }
        machine.middleware = [
            JournalStore.Middleware { step in
                await door.pass()
                seen.change { $0.append(step.action) }
            }
        ]
        let journal = try openJournal(path) {
            $0.snapshots = SnapshotPolicy(everySteps: 10)
            $0.report = { notice in notices.change { $0.append(notice) } }
        }
        let store = try await journal.open(machine, stream: "a")
        try await store.dispatch(1)
        await door.comers(1)
        for _ in 1...60 { try await store.dispatch(contentsOf: Array(2...11)) }
        let base = try await journal.prune("a", before: 600).base
        #expect(base > 100)
        door.open()
        try await store.dispatch(99)
        try await journal.close()
        let error = try #require(notices.value.first?.error)
        #expect(notices.value.map(\.kind) == [.middlewareFailed])
        #expect(error.message.hasPrefix("The entries up to step \(base) were pruned before the machine's middleware"))
        let first = try #require(error.step)
        #expect(first <= base)
        #expect(seen.value.count == first - 1 + 602 - base)
        #expect(seen.value.last == 99)
    }

    @Test func `middleware can close its own store`() async throws {
        let closed = Signal()
        let store = Box<Store<Int, Int>?>(nil)
        var machine = Machine<Int, Int, Void>("counter", initialState: 0) { _, _, _ in .none }
        machine.middleware = [
            JournalStore.Middleware { _ in
                try await store.value?.close()
                closed.send()
            }
        ]
        let journal = try openJournal(path)
        let opened = try await journal.open(machine, stream: "a")
        store.change { $0 = opened }
        try await opened.dispatch(1)
        await closed.wait()
        store.change { $0 = nil }
        try await journal.close()
    }

    @Test func `a task that middleware has started waits for later calls of the middleware when it closes the journal`()
        async throws
    {
        let (second, end) = (Door(), Door())
        let (seen, isClosed, closed) = (Box<[Int]>([]), Box(false), Signal())
        let journal = try openJournal(path)
        var machine = Machine<Int, Int, Void>("counter", initialState: 0) { _, _, _ in .none }
        machine.middleware = [
            JournalStore.Middleware { step in
                if step.step == 1 {
                    _ = Task {
                        await second.pass()
                        try await journal.close()
                        isClosed.change { $0 = true }
                        closed.send()
                    }
                } else {
                    second.open()
                    await end.pass()
                    seen.change { $0.append(step.step) }
                }
            }
        ]
        let store = try await journal.open(machine, stream: "a")
        for number in 1...2 { try await store.dispatch(number) }
        // The store ends first.
        for await _ in store.states {}
        for _ in 0..<1_000 { await Task.yield() }
        #expect(!isClosed.value)
        end.open()
        await closed.wait()
        #expect(seen.value == [2])
    }
}
