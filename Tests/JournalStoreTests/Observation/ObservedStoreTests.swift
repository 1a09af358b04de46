import Dispatch
import JournalStore
import Testing
import TortureKit

@testable import JournalObservation

private struct Screen: Codable, Sendable, Equatable {
    var name = ""
    var todos: [String] = []
}

private enum TodoAction: Codable, Sendable { case add(String) }

private enum ScreenAction: Codable, Sendable {
    case rename(String)
    case todos(TodoAction)
    /// Leads to an effect that leads to another one.
    case load
    case loaded
}

private let screen = Machine<ScreenAction, Screen, Void>("screen", initialState: Screen()) { action, state, _ in
    switch action {
    case .rename(let name):
        if name.isEmpty { return .reject("A name is needed.") }
        state.name = name
        return .none
    case .todos(.add(let todo)):
        state.todos.append(todo)
        return .none
    case .load: return .run("load") { .loaded }
    case .loaded: return .run("show") { .rename("loaded") }
    }
}

@MainActor @Suite struct `The mirror of a store` {
    private func open() async throws -> Store<ScreenAction, Screen> {
        try await Journal.inMemory().open(screen, stream: "screen")
    }

    @Test func `dispatches that wait for a send keep their order, and a later send comes after them`() async throws {
        let store = try await open()
        let mirror = ObservedStore(store)
        mirror.send(.todos(.add("0")))
        let dispatches = (1...5).map { number in
            Task { @MainActor in try await mirror.dispatch(.todos(.add("\(number)"))) }
        }
        let sent = Task { @MainActor in mirror.send(.todos(.add("6"))) }
        for dispatch in dispatches { _ = try await dispatch.value }
        await sent.value.value
        #expect(store.state.todos == (0...6).map { "\($0)" })
        try await mirror.dispatch(.todos(.add("7")))
        #expect(mirror.state.todos.last == "7")
    }

    @Test func `a send that is encoded in less time does not overtake a dispatch`() async throws {
        let store = try await open()
        let mirror = ObservedStore(store)
        let long = String(repeating: "\n", count: 2_000_000)
        let dispatch = Task { @MainActor in try await mirror.dispatch(.todos(.add(long))) }
        let sent = Task { @MainActor in mirror.send(.todos(.add("short"))) }
        _ = try await dispatch.value
        await sent.value.value
        #expect(store.state.todos == [long, "short"])
    }

    @Test func `the mirror begins with the state and follows it`() async throws {
        let store = try await open()
        try await store.dispatch(.rename("first"))
        let mirror = ObservedStore(store)
        #expect(mirror.state == Screen(name: "first"))
        let watching = Watching { _ = mirror.state }
        try await store.dispatch(.rename("second"))
        await watching.changes(1)
        try await store.dispatch(.todos(.add("milk")))
        await watching.changes(2)
        #expect(mirror.name == "second" && mirror.todos == ["milk"])
        #expect(watching.changes == 2)
    }

    @Test func `a step costs nothing for parts that are gone, and they take no room`() async throws {
        let store = try await open()
        let mirror = ObservedStore(store)
        var looks = 0
        for _ in 1...1_000 {
            _ = mirror.scope { screen in
                looks += 1
                return screen.name
            }
        }
        let kept = mirror.scope(\.name)
        looks = 0
        try await mirror.dispatch(.rename("new"))
        #expect(looks == 0)
        #expect(kept.state == "new")
    }

    @Test func `steps of one turn of the main actor are one change`() async throws {
        let store = try await open()
        let mirror = ObservedStore(store)
        let watching = Watching { _ = mirror.state }
        // This turn does not end before all are reduced.
        for number in 1...100 { try store.blocking.dispatch(.todos(.add("\(number)"))) }
        #expect(mirror.todos.isEmpty)
        await watching.changes(1)
        #expect(mirror.todos.count == 100)
        try store.blocking.dispatch(.rename("last"))
        await watching.changes(2)
        #expect(mirror.name == "last" && watching.changes == 2)
    }

    @Test func `a step that a change leads to is a change of a later turn`() async throws {
        let store = try await open()
        let mirror = ObservedStore(store)
        let watching = Watching { _ = mirror.state }
        var log: [String] = []
        watching.onChange = { [unowned watching] in
            log.append("change")
            guard watching.changes == 1 else { return }
            _ = try? store.blocking.dispatch(.rename("second"))
            Task { log.append("turn") }
        }
        try await store.dispatch(.rename("first"))
        await watching.changes(2)
        #expect(log == ["change", "turn", "change"])
    }

    @Test func `each turn with a step is a change if states cannot be compared`() async throws {
        struct Plain: Codable, Sendable { var count = 0 }
        let machine = Machine("plain", initialState: Plain()) { (state: inout Plain, number: Int) in
            state.count = number
        }
        let mirror = ObservedStore(try await Journal.inMemory().open(machine, stream: "plain"))
        let watching = Watching { _ = mirror.state }
        try await mirror.dispatch(1)
        try await mirror.dispatch(1, id: "tap")
        #expect(watching.changes == 2 && mirror.state.count == 1)
        #expect(try await mirror.dispatch(1, id: "tap") == .repeated, "a second tap")
    }

    @Test func `a part changes only when it does, together with the whole`() async throws {
        let store = try await open()
        let mirror = ObservedStore(store)
        let part = mirror.scope(\.todos)
        let wholeChanges = Watching { _ = mirror.state }
        let partChanges = Watching { _ = part.state }
        try await mirror.dispatch(.rename("a"))
        try await mirror.dispatch(.rename("b"))
        #expect(wholeChanges.changes == 2 && partChanges.changes == 0)
        try await mirror.dispatch(.todos(.add("milk")))
        #expect(wholeChanges.changes == 3 && partChanges.changes == 1)
        #expect(part.state == ["milk"] && part.count == 1)
        // A refused action and an equal state change nothing.
        #expect(try await mirror.dispatch(.rename("")) == .rejected(reason: "A name is needed."))
        try await mirror.dispatch(.rename("b"))
        #expect(wholeChanges.changes == 3)
    }

    @Test func `a part can be made by what observes a change, and changes from then on`() async throws {
        let store = try await open()
        let mirror = ObservedStore(store)
        let watching = Watching { _ = mirror.state }
        var parts: [ObservedStore<ScreenAction, [String]>] = []
        watching.onChange = { [unowned watching] in
            if watching.changes == 1 { parts.append(mirror.scope(\.todos)) }
        }
        try await mirror.dispatch(.todos(.add("milk")))
        let part = try #require(parts.first)
        #expect(part.state == ["milk"])
        try await mirror.dispatch(.todos(.add("bread")))
        #expect(part.state == ["milk", "bread"] && watching.changes == 2)
    }

    @Test func `a part has actions of its own`() async throws {
        let store = try await open()
        let todos = ObservedStore(store).scope(\.todos, action: ScreenAction.todos)
        try await todos.dispatch(.add("milk"))
        await todos.send(.add("bread")).value
        #expect(todos.state == ["milk", "bread"])
        #expect(store.state.todos == ["milk", "bread"])
        #expect(todos.scope(\.count).state == 2)
    }

    @Test func `actions are dispatched in the order in which they are sent, also those of parts`() async throws {
        // It is not encoded until the gate opens, which gives the others time to overtake it.
        struct Slow: Codable, Sendable, Equatable {
            static let gate = DispatchSemaphore(value: 0)
            static let isBegun = Box(false)
            var name: String

            func encode(to encoder: any Encoder) throws {
                if name == "slow" {
                    Slow.isBegun.change { $0 = true }
                    // Not without a limit: the thread is one of the few that all tasks share.
                    _ = Slow.gate.wait(timeout: .now() + 1)
                    Slow.gate.signal()
                }
                try name.encode(to: encoder)
            }

            init(_ name: String) { self.name = name }

            init(from decoder: any Decoder) throws { name = try String(from: decoder) }
        }
        let machine = Machine("log", initialState: [String]()) { (log: inout [String], action: Slow) in
            log.append(action.name)
        }
        let store = try await Journal.inMemory().open(machine, stream: "log")
        let mirror = ObservedStore(store)
        let part = mirror.scope(\.count, action: Slow.init)
        mirror.send(Slow("slow"))
        while !Slow.isBegun.value { await Task.yield() }
        part.send("second")
        mirror.send(Slow("third"))
        // A dispatch that does not wait for it overtakes it, and so could the others.
        for number in 1...10 {
            try store.blocking.dispatch(Slow("\(number)"))
            await Task.yield()
        }
        Slow.gate.signal()
        try await part.dispatch("last")
        #expect(mirror.state.filter { Int($0) == nil } == ["slow", "second", "third", "last"])
    }

    @Test func `a dispatch can wait for all that it leads to`() async throws {
        let mirror = ObservedStore(try await open())
        #expect(try await mirror.dispatch(.load, waitsForEffects: true) == .reduced)
        #expect(mirror.name == "loaded")
    }

    @Test func `the effects of a dispatch are cancelled by its cancel ID, also through a part`() async throws {
        let listening = Machine<Bool, Int, Void>("listening", initialState: 0) { listens, count, _ in
            count += 1
            return listens
                ? .fireAndForget("listen") { try await forever() } : .none
        }
        let store = try await Journal.inMemory().open(listening, stream: "screen")
        let mirror = ObservedStore(store)
        let part = mirror.scope({ $0 }, action: { (_: Int) in true })
        try await mirror.dispatch(true, cancelID: "screen", priority: .high)
        try await part.dispatch(1, cancelID: "part")
        #expect(try await store.liveRuns().map(\.priority) == [Int(TaskPriority.high.rawValue), nil])
        try await part.cancel(id: "screen")
        #expect(try await store.liveRuns().map(\.step) == [2])
        try await mirror.cancel(id: "part")
        #expect(try await store.liveRuns() == [])
    }

    @Test func `an action that cannot be dispatched leaves its error`() async throws {
        let store = try await open()
        let mirror = ObservedStore(store)
        let todos = mirror.scope(\.todos, action: ScreenAction.todos)
        try await store.close()
        let watching = Watching { _ = mirror.sendError }
        await mirror.send(.rename("a")).value
        #expect(mirror.sendError?.code == .closed && watching.changes == 1)
        #expect(todos.sendError == nil)
        await #expect(throws: JournalError.self) { try await todos.dispatch(.add("a")) }
    }

    @Test func `a binding reads the state and sends an action`() async throws {
        let store = try await open()
        let mirror = ObservedStore(store)
        let name = mirror.binding(get: \.name, send: ScreenAction.rename)
        let watching = Watching { _ = name.wrappedValue }
        name.wrappedValue = "new"
        #expect(name.wrappedValue == "")
        await watching.changes(1)
        #expect(name.wrappedValue == "new")
        #expect(store.state.name == "new")
    }

    @Test func `the last state before the end is mirrored`() async throws {
        let store = try await open()
        let mirror = ObservedStore(store)
        let watching = Watching { _ = mirror.state }
        try store.blocking.dispatch(.rename("last"))
        try store.blocking.close()
        await watching.changes(1)
        #expect(mirror.name == "last")
    }

    @Test func `a released part is forgotten at the next change`() async throws {
        final class Held: Sendable {}
        let mirror = ObservedStore(try await open())
        weak var held: Held?
        do {
            let object = Held()
            held = object
            _ = mirror.scope { [object] state in withExtendedLifetime(object) { state.name } }
        }
        try await mirror.dispatch(.rename("a"))
        #expect(held == nil)
        #expect(mirror.name == "a")
    }

    @Test func `the task that listens ends with the last mirror`() async throws {
        let store = try await open()
        var core: MirrorCore? = MirrorCore(store)
        let listening = core?.listening
        core = nil
        await listening?.value
        #expect(listening != nil)
        try await store.close()
    }

    @Test func `released mirrors stop listening and release the store`() async throws {
        let journal = try Journal.inMemory()
        weak var released: ObservedStore<ScreenAction, Screen>?
        weak var releasedStore: Store<ScreenAction, Screen>?
        var part: ObservedStore<ScreenAction, [String]>?
        do {
            let store = try await journal.open(screen, stream: "screen")
            let mirror = ObservedStore(store)
            (released, releasedStore) = (mirror, store)
            part = mirror.scope(\.todos)
            mirror.send(.rename("sent"))
        }
        #expect(released == nil)
        // A part keeps what it needs.
        try await part?.dispatch(.todos(.add("milk")))
        #expect(part?.state == ["milk"])
        part = nil
        while releasedStore != nil { await Task.yield() }
        // The stream is free again: nothing holds the store.
        let again = try await journal.open(screen, stream: "screen")
        #expect(again.state == Screen(name: "sent", todos: ["milk"]))
    }

    @Test func `actions that are sent in one turn are one transaction and one change`() async throws {
        let store = try await open()
        let mirror = ObservedStore(store)
        let watching = Watching { _ = mirror.state }
        var last: Task<Void, Never>?
        for number in 1...100 { last = mirror.send(.todos(.add("\(number)"))) }
        await last?.value
        #expect(mirror.todos == (1...100).map { "\($0)" } && watching.changes == 1)
        await mirror.send(.rename("later")).value
        #expect(mirror.name == "later" && watching.changes == 2)
    }

    @Test func `an action that cannot be stored fails alone`() async throws {
        let machine = Machine("numbers", initialState: [Double]()) { (state: inout [Double], number: Double) in
            state.append(number)
        }
        let mirror = ObservedStore(try await Journal.inMemory().open(machine, stream: "numbers"))
        mirror.send(1)
        mirror.send(.nan)
        await mirror.send(2).value
        #expect(mirror.state == [1, 2])
        #expect(mirror.sendError?.code == .notStorable)
        #expect(mirror.sendError?.message.contains("not a finite number") == true)
    }

    @Test func `of a turn that nothing can be written of, no action is dispatched by itself`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        let journal = try openJournal(path) { $0.busyTimeout = .zero }
        let machine = Machine("numbers", initialState: [Int]()) { (state: inout [Int], number: Int) in
            state.append(number)
        }
        let mirror = ObservedStore(try await journal.open(machine, stream: "numbers"))
        let shell = try Shell(path)
        try shell("BEGIN IMMEDIATE")
        mirror.send(1)
        await mirror.send(2).value
        #expect(mirror.sendError?.code == .busy)
        #expect(try await journal.metrics().failedCommits == 1)
        try shell("ROLLBACK")
        await mirror.send(3).value
        #expect(mirror.state == [3])
        try await journal.close()
    }
}
