import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

/// Version 0.1.0 named an effect after the type of the action if its case has no payload and a description of its own.
@Suite struct `Effects with names that version 0.1.0 gave them` {
    enum Told: String, Codable, CustomStringConvertible {
        case pay, mail, done
        var description: String { "what a person reads" }
    }

    let deaths: Deaths
    let door = Door()

    init() throws { deaths = try Deaths() }

    private func machine(_ bodies: @escaping @Sendable (Told) -> Effect<Told>) -> Machine<Told, [String], Void> {
        Machine("told", initialState: []) { action, state, _ in
            state.append(action.rawValue)
            return bodies(action)
        }
    }

    /// Kills the process while a body runs, and gives the record the name that it had then.
    private func leave(_ machine: Machine<Told, [String], Void>, bodies: Int, isRenamed: Bool) async throws {
        let journal = try deaths.open()
        let store = try await journal.open(machine, stream: "a")
        try await store.dispatch(.pay)
        await door.comers(bodies)
        try await store.flush()
        #expect(try deaths("SELECT DISTINCT name FROM effect_run") == ["pay"])
        try deaths.kill()
        if isRenamed { try Shell(deaths.path).change("UPDATE effect_run SET name = '\(StoredName.of(Told.self))'") }
        try await journal.close()
    }

    @Test(arguments: [true, false]) func `go on`(isRenamed: Bool) async throws {
        let machine = machine { [door] action in
            guard action == .pay else { return .none }
            return .run {
                await door.pass()
                return .done
            }
        }
        try await leave(machine, bodies: 1, isRenamed: isRenamed)
        let journal = try deaths.open()
        let store = try await journal.open(machine, stream: "a")
        #expect(store.recovery.resumed.map(\.name) == [isRenamed ? StoredName.of(Told.self) : "pay"])
        #expect(store.recovery.orphaned.isEmpty)
        await door.comers(2)
        door.open()
        await store.join()
        #expect(store.state == ["pay", "done"])
        #expect(try store.replayer().verify().isFaithful)
        try await journal.close()
    }
}
