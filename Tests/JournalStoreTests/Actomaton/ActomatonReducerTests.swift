import Foundation
import JournalStore
import JournalTesting
import Testing

@Suite struct `Actomaton: a reducer` {
    @Test func `a reducer is a closure of the action, the state and the environment`() async throws {
        let bench = try Workbench()
        let reducer = Reducer<Int, Int, Int> { action, state, environment in
            state += action * environment
            return .none
        }
        let store = try await bench.journal.open(
            Machine("scale", initialState: 1, reducer: reducer), stream: "a", environment: 10)
        try await store.dispatch(3)
        #expect(store.state == 31)
        #expect(
            try await bench.sql("SELECT step, action, origin, outcome FROM journal", after: store)
                == ["1|3|dispatched|reduced"])
        #expect(try bench.sql("SELECT count(*) FROM step_record") == ["0"], "the step changed only the state")
        try await bench.journal.close()
    }

    @Test func `a reducer can use the step's journaled date and reproducible random values`() async throws {
        let bench = try Workbench()
        let machine = Machine<String, [String], Void>("dice", initialState: []) { action, state, _, step in
            state.append("\(action) \(step.number) \(step.date.timeIntervalSince1970)")
            state.append(step.uuid().uuidString)
            state.append("\(Int.random(in: 0..<1_000_000_000, using: &step))")
            return .none
        }
        let store = try await bench.journal.open(machine, stream: "a", clock: bench.clock)
        try await store.dispatch("one")
        bench.clock.move(by: .seconds(90))
        try await store.dispatch("two")
        let state = store.state
        #expect(state[0] == "one 1 1767225600.0")
        #expect(state[3] == "two 2 1767225690.0")
        #expect(Set(state).count == 6, "each step has its own values")
        try await bench.journal.close()

        // Without the snapshot that the close saved, only the entries can produce the state.
        try Shell(bench.path)("DELETE FROM snapshot")
        let journal = try bench.reopened()
        let again = try await journal.open(machine, stream: "a", clock: bench.clock)
        #expect(again.recovery.snapshotStep == 0)
        #expect(again.state == state)
        try await journal.close()
    }
}
