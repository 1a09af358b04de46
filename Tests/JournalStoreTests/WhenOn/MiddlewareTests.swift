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
        let runtime = Kitchen.runtime()
            .register(middleware: { (event: Event) in
                seen.change { $0.append("event \(event)") }
                called.send()
            })
            .register(middleware: { (state: State) in
                seen.change { $0.append("state \(state)") }
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
}
