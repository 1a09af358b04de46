import Foundation
import JournalStore

/// A machine with an effect, or a reducer, that crashes the process.
package enum Poison {
    enum Action: Codable, Sendable, Equatable {
        case start(String)
        case ended(String)
        case trap
    }

    /// Whether the code is fixed.
    typealias IsMended = Bool

    static let machine = Machine<Action, [String], IsMended>("poison", initialState: []) {
        action, ended, isMended in
        switch action {
        case .start(let name):
            return .run(name, id: name) {
                if name == "guilty", !isMended { _exit(9) }
                // Still running when the guilty effect starts.
                try await Task.sleep(for: .milliseconds(20))
                return .ended(name)
            }
        case .ended(let name):
            ended.append(name)
            return .none
        case .trap:
            if !isMended { _exit(9) }
            return .none
        }
    }

    static let names = ["a", "b", "guilty", "c"]

    /// The child: starts the effects, or dispatches the action that traps, and prints a line if it survives.
    package static func work(_ path: String, _ mode: String, isMended: Bool) async throws {
        var options = Journal.Options()
        // No opening lasts long enough to be stable, however slow the machine is.
        options.sleep = { try await Task.sleep(for: $0 < .seconds(1) ? $0 : .seconds(86_400)) }
        options.report = { notice in
            print(notice)
            fflush(nil)
        }
        let journal = try Journal(path: path, options: options)
        let store = try await journal.open(machine, stream: "a", environment: isMended)
        if mode == "reducer" {
            try await store.dispatch(.start("a"), id: "a")
            try await store.dispatch(.trap, id: "trap")
        } else {
            for name in names { try await store.dispatch(.start(name), id: name) }
        }
        for await ended in store.states {
            let left = try await store.liveRuns().filter { $0.status != .parked }
            if left.isEmpty { break }
            _ = ended
        }
        print("alive: \(store.recovery.parked.map(\.name)) \(store.state.sorted())")
        fflush(nil)
        try await journal.close()
    }
}
