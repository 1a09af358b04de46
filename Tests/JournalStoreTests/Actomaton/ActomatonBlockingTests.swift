import Foundation
import JournalStore
import JournalTesting
import Testing

@Suite struct `Actomaton: the blocking store` {
    @Test func `dispatch, join and close block the calling thread and use the same journal`() async throws {
        let bench = try Workbench()
        let stage = Stage { name in
            switch name {
            case "fails": .run(name) { throw CocoaError(.featureUnsupported) }
            case "leads on": .run(name) { .start("x") }
            default: .run(name) { .ended(name) }
            }
        }
        try await onThread {
            let store = try bench.journal.openBlocking(play, stream: "a", environment: stage, clock: bench.clock)
            let first = try store.dispatch(.add(5))
            #expect(first.step == 1)
            #expect(store.state.sum == 5)
            #expect(store.withState { $0.sum + 1 } == 6)

            let second = try store.dispatch(.start("leads on"), trackingFeedback: true)
            try store.join(second)
            #expect(store.state.log == ["x"])

            let failing = try store.dispatch(.start("fails"))
            try store.join(failing)
            #expect(failing.errors.first is CocoaError)
            try store.close()
        }
        #expect(
            try bench.sql("SELECT step, name, origin, outcome FROM journal") == [
                "1|add|dispatched|reduced", "2|start|dispatched|reduced", "3|start|effect|reduced",
                "4|ended|effect|reduced", "5|start|dispatched|reduced",
            ])
        #expect(
            try bench.sql("SELECT name, status FROM effect_run") == [
                "leads on|completed", "x|completed", "fails|failed",
            ])
        try await bench.journal.close()
    }

    @Test func `a dispatch ID is idempotent, a cancel is committed, and a closed store throws`() async throws {
        let bench = try Workbench()
        let stage = Stage { name in
            .run(name) {
                try await forever(); return nil
            }
        }
        try await onThread {
            let store = try bench.journal.openBlocking(play, stream: "a", environment: stage)
            #expect(try store.dispatch(.add(5), id: "order-7").outcome == .reduced)
            #expect(try store.dispatch(.add(5), id: "order-7").outcome == .repeated)
            #expect(store.state.sum == 5)
            #expect { try store.dispatch(.add(6), id: "order-7") } throws: { error in
                (error as? JournalError)?.code == .dispatchIDReused
            }
            let running = try store.dispatch(.start("x"), cancelID: "session")
            try store.dispatch(.cancel("session"))
            try store.join(running)
            try store.close()
            #expect { try store.dispatch(.add(1)) } throws: { error in (error as? JournalError)?.code == .closed }
        }
        #expect(try bench.sql("SELECT status FROM effect_run") == ["cancelled"])
        try await bench.journal.close()
    }

    @Test func `dispatches from many threads get one order`() async throws {
        let bench = try Workbench()
        let machine = Machine<Int, [Int], Void>("list", initialState: []) { list, number in list.append(number) }
        let store = try await onThread {
            try bench.journal.openBlocking(machine, stream: "a", environment: ())
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    try await onThread {
                        for number in 0..<25 { try store.dispatch(thread * 25 + number) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(store.state.sorted() == Array(0..<200))
        #expect(
            try await bench.sql("SELECT action FROM entry ORDER BY step", after: store.store)
                == store.state.map { "\($0)" })
        try await bench.journal.close()
    }

    @Test func `a reducer that dispatches to its own store gets an error instead of a deadlock`() async throws {
        let bench = try Workbench()
        let codes = Box<[JournalError.Code?]>([])
        let own = Box<BlockingStore<Int, Int>?>(nil)
        let machine = Machine<Int, Int, Void>("nested", initialState: 0) { state, action in
            state += action
            do { try own.value?.dispatch(1) } catch { codes.change { $0.append((error as? JournalError)?.code) } }
        }
        try await onThread {
            let store = try bench.journal.openBlocking(machine, stream: "a", environment: ())
            own.change { $0 = store }
            try store.dispatch(5)
            #expect(store.state == 5)
            own.change { $0 = nil }
        }
        #expect(codes.value == [.reentrant])
        #expect(try bench.sql("SELECT count(*) FROM entry") == ["1"])
        try await bench.journal.close()
    }
}
