import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Law 2, in a store: one order` {
    @Test(arguments: [Execution.inPlace, .ownThread])
    func `with many tasks each reduction starts from the state of the one before`(_ execution: Execution) async throws {
        struct Counted: Codable, Sendable, Equatable { var steps: [Int] = [] }
        let folder = try TemporaryFolder()
        let journal = try openJournal(folder.path("a.db")) {
            $0.durability = .normal
            $0.execution = execution
        }
        let machine = Machine<Int, Counted, Void>("count", initialState: Counted()) { _, state, _, step in
            state.steps.append(step.number)
            return .none
        }
        let store = try await journal.open(machine, stream: "a")
        let steps = try await withThrowingTaskGroup(of: [Int].self) { group in
            for task in 0..<16 {
                group.addTask {
                    var steps: [Int] = []
                    for number in 0..<50 { steps.append(try await store.dispatch(task * 1000 + number).step) }
                    return steps
                }
            }
            var all: [Int] = []
            for try await mine in group {
                #expect(mine == mine.sorted(), "a task's own dispatches keep their order")
                all += mine
            }
            return all
        }
        #expect(steps.sorted() == Array(1...800))
        #expect(store.state.steps == Array(1...800))
        try await journal.close()
    }

    @Test func `a cascade is part of its step and is reduced before the next entry`() async throws {
        let folder = try TemporaryFolder()
        let journal = try openJournal(folder.path("a.db")) { $0.reducesTwice = false }
        let order = Box<[String]>([])
        let store = try await journal.openPlay(reduced: { _, step in
            order.change { $0.append("\(step.number).\(step.substep)") }
        })
        try await store.dispatch(contentsOf: [.cascade(2), .add(1), .cascade(1)])
        #expect(order.value == ["1.0", "1.1", "1.2", "2.0", "3.0", "3.1"])
        try await store.flush()
        let shell = try Shell(folder.path("a.db"), readOnly: true)
        #expect(try shell("SELECT count(*) FROM entry") == ["3"])
        #expect(
            try shell("SELECT step, cascade FROM step_record ORDER BY step") == [
                #"1|[{"cascade":{"_0":1}},{"cascade":{"_0":0}}]"#, #"3|[{"cascade":{"_0":0}}]"#,
            ])
        try await journal.close()
    }

    @Test func `an entry from an effect records its origin and its cause`() async throws {
        let folder = try TemporaryFolder()
        let journal = try openJournal(folder.path("a.db"))
        let store = try await journal.openPlay { name in
            switch name {
            case "one": .run("first") { nil } + .run("second") { .start("two") }
            default: .run("third") { .ended("two") }
            }
        }
        let dispatched = try await store.dispatch(.start("one"), trackingFeedback: true)
        await dispatched.completion()
        try await store.flush()
        let shell = try Shell(folder.path("a.db"), readOnly: true)
        #expect(
            try shell("SELECT step, name, origin, cause, outcome FROM journal") == [
                "1|start|dispatched||reduced", "2|start|effect|step 1, effect 1|reduced",
                "3|ended|effect|step 2, effect 0|reduced",
            ])
        #expect(
            try shell("SELECT step, ordinal, root_step, name, status, delivered FROM effect_run ORDER BY step, ordinal")
                == ["1|0|1|first|completed|0", "1|1|1|second|completed|1", "2|0|1|third|completed|1"])
        try await journal.close()
    }

    @Test func `a rejected action is an entry and changes nothing else`() async throws {
        let folder = try TemporaryFolder()
        let journal = try openJournal(folder.path("a.db"))
        let door = Door()
        let store = try await journal.openPlay { name in
            .run(id: name) {
                await door.pass()
                return .ended(name)
            }
        }
        let running = try await store.dispatch(.start("x"))
        let refused = try await store.dispatch(.refuse)
        #expect(refused.outcome == .rejected(reason: "no"))
        #expect(store.state == Score())
        door.open()
        await running.completion()
        #expect(store.state.log == ["x"])
        try await store.flush()
        let shell = try Shell(folder.path("a.db"), readOnly: true)
        #expect(try shell("SELECT step, outcome FROM journal") == ["1|reduced", "2|rejected", "3|reduced"])
        #expect(try shell("SELECT reason FROM step_record WHERE step = 2") == ["no"])
        #expect(try shell("SELECT step, status FROM effect_run") == ["1|completed"])
        try await journal.close()
    }

    @Test func `an entry of another writer of the stream fences the store, and its dispatch throws`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay()
        try await store.dispatch(.add(1))
        try await store.engine.stream.append(#"{"add":{"_0":5}}"#)
        #expect(await journalError { try await store.dispatch(.add(1)) }?.code == .fenced)
        #expect(store.state.sum == 1)
        #expect(await journalError { try await store.dispatch(.add(1)) }?.code == .fenced)
        #expect(await journalError { try await store.dispatch(contentsOf: [.add(1), .add(1)]) }?.code == .fenced)
        try await store.close()
        let again = try await journal.openPlay()
        #expect(again.state.sum == 7)
        try await journal.close()
    }

    @Test func `a dispatch that waits for a state is answered once if its entry is fenced`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay()
        try await store.engine.stream.append(#"{"add":{"_0":5}}"#)
        let error = await journalError { _ = try await store.dispatch(.add(1)) { $0.sum == 100 } }
        #expect(error?.code == .fenced)
        try await journal.close()
    }
}
