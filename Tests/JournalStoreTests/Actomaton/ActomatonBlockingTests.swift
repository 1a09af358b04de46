import CFaultVFS
import CJournalSQLite
import Foundation
import JournalStore
import JournalTesting
import Testing
import TortureKit

@Suite struct `Actomaton: the blocking store` {
    @Test func `a store that is released frees its stream, also right after a blocking call`() async throws {
        let bench = try Workbench()
        let stage = Stage { _ in .none }
        try await onThread {
            for _ in 0..<300 {
                let store = try bench.journal.openBlocking(play, stream: "a", environment: stage, clock: bench.clock)
                try store.cancel(id: "x")
            }
        }
        try await bench.journal.close()
    }

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
        let store = try await onThread { try bench.journal.openBlocking(machine, stream: "a") }
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
        try await onThread {
            try bench.journal.closeBlocking()
            #expect { try store.dispatch(1) } throws: { error in (error as? JournalError)?.code == .closed }
        }
    }

    @Test func `a reducer that dispatches to its own store gets an error instead of a deadlock`() async throws {
        let bench = try Workbench()
        let codes = Box<Set<JournalError.Code?>>([])
        let own = Box<BlockingStore<Int, Int>?>(nil)
        let machine = Machine<Int, Int, Void>("nested", initialState: 0) { state, action in
            state += action
            do { try own.value?.dispatch(1) } catch { codes.change { _ = $0.insert((error as? JournalError)?.code) } }
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

    @Test func `an effect is cancelled by its dispatch or by its ID, and that is committed on return`() async throws {
        let bench = try Workbench()
        let stage = Stage { name in
            .run(name, id: name) {
                try await forever()
                return nil
            }
        }
        try await onThread {
            let store = try bench.journal.openBlocking(play, stream: "a", environment: stage)
            let first = try store.dispatch(.start("x"))
            try store.dispatch(.start("y"))
            try store.cancel(first)
            #expect(try bench.sql("SELECT name, status FROM effect_run ORDER BY step").first == "x|cancelled")
            try store.cancel(id: "y")
            #expect(
                try bench.sql("SELECT name, status FROM effect_run ORDER BY step") == ["x|cancelled", "y|cancelled"])
            try store.close()
        }
        try await bench.journal.close()
    }

    @Test func `a blocking dispatch that cannot be appended throws, and changes nothing`() async throws {
        let folder = try TemporaryFolder()
        let vfs = FaultVFS()
        let journal = try openJournal(folder.path("a.db")) { $0.vfs = vfs.name }
        try await onThread {
            let store = try journal.openBlocking(play, stream: "a", environment: Stage())
            try store.dispatch(.add(1))
            vfs.fail(FAULT_WRITE, suffix: "-wal", count: -1, code: SQLITE_FULL)
            #expect { try store.dispatch(.add(5)) } throws: { error in (error as? JournalError)?.code == .diskFull }
            #expect(store.state.sum == 1)
            vfs.clear()
            #expect(try store.dispatch(.add(2)).step == 2)
            #expect(store.state.sum == 3)
        }
        try await journal.close()
    }

    @Test func `a blocking store resumes its effects after a restart`() async throws {
        let bench = try Workbench()
        let stage = Stage { name in
            .run(name) { context in
                if !context.isResumed { try await forever() }
                return .ended(name)
            }
        }
        try await onThread {
            let store = try bench.journal.openBlocking(play, stream: "a", environment: stage, clock: bench.clock)
            try store.dispatch(.start("x"), id: "order-7")
            try store.close()
        }
        try await bench.journal.close()
        let journal = try bench.reopened()
        try await onThread {
            let store = try journal.openBlocking(play, stream: "a", environment: stage, clock: bench.clock)
            #expect(store.store.recovery.resumed.map(\.name) == ["x"])
            let repeated = try store.dispatch(.start("x"), id: "order-7")
            #expect(repeated.outcome == .repeated)
            try store.join(repeated)
            #expect(store.state.log == ["x"])
            try store.close()
        }
        #expect(try bench.sql("SELECT name, status, attempts FROM effect_run") == ["x|completed|2"])
        try await journal.close()
    }
}
