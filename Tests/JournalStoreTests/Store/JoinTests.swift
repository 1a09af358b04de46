import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Joining a store` {
    let door = Door()
    /// Sent by each body that waits for ever.
    let begun = Signal()

    private func open(_ journal: Journal) async throws -> Store<Play, Score> {
        try await journal.openPlay { [door, begun] name in
            switch name {
            case "asked":
                .run(name, restart: .ask) {
                    begun.send()
                    try await forever(); return nil
                }
            case "dispatches":
                .run(name, restart: .dispatch(.start("leads on"))) {
                    begun.send()
                    try await forever(); return nil
                }
            case "leads on": .run(name) { .start("x") }
            default:
                .run(name) {
                    await door.pass()
                    return .ended(name)
                }
            }
        }
    }

    @Test func `a join waits for running effects and for all that they lead to`() async throws {
        let store = try await open(try Journal.inMemory())
        await store.join()
        try await store.dispatch(.start("leads on"))
        let hasJoined = Box(false)
        async let joining: Void = {
            await store.join()
            hasJoined.change { $0 = true }
        }()
        await door.comers(1)
        #expect(!hasJoined.value)
        door.open()
        await joining
        #expect(store.state.log == ["x"])
    }

    @Test func `a join waits for what a restart dispatches, and not for effects that are asked`() async throws {
        door.open()
        let folder = try TemporaryFolder()
        var journal = try openJournal(folder.path("a.db"))
        var store = try await open(journal)
        for name in ["asked", "dispatches"] { try await store.dispatch(.start(name)) }
        await begun.wait(times: 2)
        try await journal.close()
        journal = try openJournal(folder.path("a.db"))
        store = try await open(journal)
        await store.join()
        #expect(store.state.log == ["x"])
        #expect(store.recovery.asked.map(\.name) == ["asked"])
        try await journal.close()
    }

    @Test(arguments: ["cancel", "close"])
    func `a join ends when its task is cancelled, or the store ends`(_ end: String) async throws {
        let store = try await open(try Journal.inMemory())
        try await store.dispatch(.start("x"))
        await door.comers(1)
        let joining = Task { await store.join() }
        if end == "cancel" { joining.cancel() } else { try await store.close() }
        await joining.value
        #expect(store.state.log == [])
        door.open()
    }
}
