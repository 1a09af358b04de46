import CFaultVFS
import CJournalSQLite
import Foundation
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

/// The store and every replay change the state in place. A reader pays for what it reads.
@Suite struct `Law 12, the state in place` {
    let folder: TemporaryFolder
    let path: String
    let name: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
        name = folder.path
    }

    private func journal(_ change: (inout Journal.Options) -> Void = { _ in }) throws -> Journal {
        try openJournal(path) {
            $0.durability = .normal
            $0.reducesTwice = false
            $0.snapshots = .never
            change(&$0)
        }
    }

    private func add(_ numbers: ClosedRange<Int>, to store: Store<ShelfAction, Shelf>) async throws {
        for number in numbers { try await store.dispatch(.add(number)) }
    }

    // MARK: Copies

    @Test func `dispatches copy nothing if nobody reads the state`() async throws {
        let store = try await journal().open(shelfMachine(name), stream: "a")
        try await add(1...1, to: store)
        _ = Shelf.takeCopies(name)
        try await add(2...50, to: store)
        try await store.dispatch(contentsOf: (51...100).map { .add($0) })
        #expect(Shelf.takeCopies(name) == 0)
        #expect(store.state.items == Array(1...100))
    }

    @Test func `reading the state costs one copy at the next change, and only if the reader keeps it`() async throws {
        let store = try await journal().open(shelfMachine(name), stream: "a")
        try await add(1...1, to: store)
        _ = Shelf.takeCopies(name)
        #expect(store.state.items == [1])
        try await add(2...10, to: store)
        #expect(Shelf.takeCopies(name) == 0)
        let kept = store.state
        try await add(11...20, to: store)
        #expect(Shelf.takeCopies(name) == 1)
        #expect(kept.items == Array(1...10))
    }

    @Test func `an observer and a connected machine get both states of each step without a copy`() async throws {
        let seen = Box<[Int]>([])
        let receiver = shelfMachine(name)
        let sender = shelfMachine(name).connected(to: receiver, stream: "b") { step in
            step.after.items.count - step.before.items.count == 2 ? .add(1) : nil
        }
        let journal = try journal()
        let store = try await journal.open(
            sender, stream: "a",
            observers: [Observer { step in seen.change { $0 += step.after.items.dropFirst(step.before.items.count) } }])
        // The two states begin as copies of the machine's initial state.
        try await add(1...2, to: store)
        _ = Shelf.takeCopies(name)
        try await add(3...49, to: store)
        #expect(Shelf.takeCopies(name) == 0)
        try await store.dispatch(.refuse)
        try await store.dispatch(.all(50, [.add(51)])).completion()
        #expect(seen.value == Array(1...51))
        #expect(try journal.reader.entries(in: "b").count == 1)
    }

    @Test func `a replay copies nothing`() async throws {
        let machine = shelfMachine(name)
        let journal = try journal()
        let store = try await journal.open(machine, stream: "a")
        try await add(1...100, to: store)
        try await store.close()
        _ = Shelf.takeCopies(name)
        let replayer = try Replayer(machine, reader: journal.reader, stream: "a")
        #expect(try replayer.state(at: 100).items.count == 100)
        #expect(Shelf.takeCopies(name) == 1)  // The machine's initial state.
        #expect(try replayer.verify().isFaithful)
        #expect((0...3).contains(Shelf.takeCopies(name)))
        var length = 0
        try replayer.forEach(in: 1...100) { step in
            length += step.after.items.count - step.before.items.count
        }
        #expect(length == 100)
        #expect((0...3).contains(Shelf.takeCopies(name)))
        let again = try await journal.open(machine, stream: "a")
        #expect((0...3).contains(Shelf.takeCopies(name)))
        var count = 0
        for try await step in again.transitions(from: 1) {
            count += step.after.items.count - step.before.items.count
            if step.step == 100 { break }
        }
        #expect(count == 100)
        #expect((0...3).contains(Shelf.takeCopies(name)))
    }

    // MARK: Rejected actions

    @Test func `a rejected action leaves no trace, at the first time and later`() async throws {
        let machine = shelfMachine(name, cascadeLimit: 3)
        let journal = try journal()
        var store = try await journal.open(machine, stream: "a")
        try await add(1...3, to: store)
        for end in [5, 7, 9] {
            #expect(try await store.dispatch(.addAndRefuse(9)).outcome == .rejected(reason: "no"))
            #expect(store.state.items == Array(1...end - 2))
            try await store.dispatch(.all(end - 1, [.addAndRefuse(9), .refuse, .add(end)]))
            #expect(store.state.items == Array(1...end))
            try await store.dispatch(.all(9, [.add(9), .add(9), .add(9), .add(9)]))
            #expect(store.state.items == Array(1...end))
        }
        try await store.close()
        #expect(try Replayer(machine, reader: journal.reader, stream: "a").verify().isFaithful)
        store = try await journal.open(machine, stream: "a")
        #expect(store.state.items == Array(1...9))
    }

    @Test func `the first rejected action after a snapshot and after a pruning leaves no trace`() async throws {
        let machine = shelfMachine(name)
        let journal = try journal { $0.snapshots = SnapshotPolicy(everySteps: nil, onClose: true) }
        var store = try await journal.open(machine, stream: "a")
        try await add(1...10, to: store)
        try await store.close()
        store = try await journal.open(machine, stream: "a")
        try await add(11...20, to: store)
        try await journal.prune("a", before: 15)
        try await store.dispatch(.addAndRefuse(9))
        #expect(store.state.items == Array(1...20))
        try await add(21...22, to: store)
        #expect(store.state.items == Array(1...22))
    }

    @Test func `if the state before the first rejected action cannot be read, the store ends and writes no snapshot`()
        async throws
    {
        let vfs = FaultVFS()
        let machine = shelfMachine(name)
        let journal = try journal {
            $0.vfs = vfs.name
            $0.snapshots = SnapshotPolicy(everySteps: nil, onClose: true)
        }
        var store = try await journal.open(machine, stream: "a")
        try await add(1...3, to: store)
        vfs.fail(FAULT_READ, suffix: "", count: -1, code: SQLITE_IOERR)
        let error = await journalError { try await store.dispatch(.addAndRefuse(9)) }
        // Nothing can be read, so what the step has left is all that there is.
        var states: [[Int]] = []
        for await state in store.states { states.append(state.items) }
        #expect(states == [[1, 2, 3, 9]])
        vfs.clear()
        #expect(error?.code == .outcomeUnknown)
        #expect(error?.step == 4)
        #expect(error?.advice.contains("Open the stream again") == true)
        #expect(await journalError { try await store.dispatch(.add(1)) } != nil)
        try? await store.close()
        #expect(try journal.reader.snapshotMarks(of: journal.reader.stream("a")).isEmpty)
        #expect(store.state.items == Array(1...3))
        try? await journal.close()
        let second = try self.journal()
        store = try await second.open(machine, stream: "a")
        #expect(store.state.items == Array(1...3))
        #expect(store.recovery.replayedSteps == 4)
        #expect(store.recovery.diedReducing == nil)
    }

    // MARK: Readers

    /// A machine whose reducer waits, or reads, when it gets `.add(0)`.
    private func machine(_ zero: @escaping @Sendable () -> Void) -> Machine<ShelfAction, Shelf, Void> {
        Machine("shelf", initialState: Shelf(name)) { (shelf: inout Shelf, action: ShelfAction) in
            guard case .add(let item) = action else { return }
            shelf.add(item)
            if item == 0 { zero() }
        }
    }

    @Test func `a reader gets the state before a step whose reducer takes long`() async throws {
        let entered = DispatchSemaphore(value: 0)
        let leave = DispatchSemaphore(value: 0)
        let calls = Box(0)
        let store = try await journal().open(
            machine {
                // The other calls are those of a replay.
                if calls.change({
                    $0 += 1; return $0
                }) > 1 {
                    return
                }
                entered.signal()
                leave.wait()
            }, stream: "a")
        try await add(1...3, to: store)
        let states = Box<[[Int]]>([])
        let thread = Thread {
            entered.wait()
            for _ in 0..<3 { states.change { $0.append(store.state.items) } }
            leave.signal()
        }
        thread.start()
        try await store.dispatch(.add(0))
        #expect(states.value == Array(repeating: [1, 2, 3], count: 3))
        #expect(store.state.items == [1, 2, 3, 0])
        try await add(4...9, to: store)
        #expect(store.state.items == [1, 2, 3, 0, 4, 5, 6, 7, 8, 9])
    }

    @Test func `a reducer that reads its own store gets the state before the step`() async throws {
        let own = Box<Store<ShelfAction, Shelf>?>(nil)
        let seen = Box<[[Int]]>([])
        let store = try await journal().open(
            machine {
                if let store = own.value { seen.change { $0.append(store.state.items) } }
            }, stream: "a")
        own.change { $0 = store }
        try await add(1...2, to: store)
        try await store.dispatch(.add(0))
        #expect(seen.value.first == [1, 2])
        #expect(store.state.items == [1, 2, 0])
        own.change { $0 = nil }
    }

    @Test func `a store that has ended because too many files were open throws no error that is retryable`()
        async throws
    {
        let vfs = FaultVFS()
        let journal = try journal { $0.vfs = vfs.name }
        let store = try await journal.open(shelfMachine(name), stream: "a")
        try await add(1...3, to: store)
        // To read the state again, the store has to connect again.
        journal.reader.release()
        vfs.fail(FAULT_OPEN, suffix: ".db", count: -1, code: SQLITE_CANTOPEN, system: EMFILE)
        let lost = await journalError { try await store.dispatch(.addAndRefuse(9)) }
        vfs.clear()
        #expect(lost?.code == .outcomeUnknown)
        #expect(lost?.message.contains("(too-many-files)") == true)
        let later = await journalError { try await store.dispatch(.add(4)) }
        #expect(later?.code == .outcomeUnknown && later?.isRetryable == false)
        #expect(later?.message.contains("too many open files") == true)
        try? await store.close()
        try? await journal.close()
    }

    @Test(arguments: [false, true])
    func `if a reducer reads its own store and the journal cannot be read, the step is not kept`(
        listens: Bool
    ) async throws {
        let vfs = FaultVFS()
        let own = Box<Store<ShelfAction, Shelf>?>(nil)
        let machine = machine { if listens { _ = own.value?.states } else { _ = own.value?.state } }
        let journal = try journal { $0.vfs = vfs.name }
        let store = try await journal.open(machine, stream: "a")
        own.change { $0 = store }
        try await add(1...2, to: store)
        vfs.fail(FAULT_READ, suffix: "", count: -1, code: SQLITE_IOERR)
        let error = await journalError { try await store.dispatch(.add(0)) }
        vfs.clear()
        own.change { $0 = nil }
        #expect(error?.code == .outcomeUnknown)
        #expect(error?.step == 3)
        #expect(await journalError { try await store.dispatch(.add(1)) } != nil)
        #expect(store.state.items == [1, 2])
        try? await store.close()
        try? await journal.close()
        let notices = Box<[Notice.Kind]>([])
        let again = try await self.journal { options in
            options.report = { notice in notices.change { $0.append(notice.kind) } }
        }.open(machine, stream: "a")
        #expect(again.state.items == [1, 2, 0])
        // The process did not die in the reducer.
        #expect(!notices.value.contains(.diedReducing))
    }

    /// The opening has one state, so the read computes it from the journal, and that calls the reducer of an earlier step.
    @Test func `a reducer that reads its own store at several steps ends the store after a restart`() async throws {
        let own = Box<Store<ShelfAction, Shelf>?>(nil)
        let machine = machine { _ = own.value?.state }
        let first = try journal()
        var store = try await first.open(machine, stream: "a")
        own.change { $0 = store }
        for _ in 0..<3 { try await store.dispatch(.add(0)) }
        own.change { $0 = nil }
        try await first.close()
        let second = try journal()
        store = try await second.open(machine, stream: "a")
        own.change { $0 = store }
        let error = await journalError { try await store.dispatch(.add(0)) }
        #expect(store.state.items == [0, 0, 0])
        own.change { $0 = nil }
        #expect(error?.code == .outcomeUnknown && error?.step == 4)
        #expect(error?.message.contains("(reentrant)") == true, "\(String(describing: error))")
        try? await second.close()
        #expect(try await journal().open(machine, stream: "a").state.items == [0, 0, 0, 0])
    }

    @Test func `readers see only states between two steps, in order`() async throws {
        let store = try await journal().open(shelfMachine(name), stream: "a")
        let wrong = Box<[Shelf]>([])
        let begun = Signal()
        // Each reader reads while an action is dispatched, and waits for the next one. One that read all the time would
        // keep a processor from the other tests.
        let turns = (0..<2).map { _ in DispatchSemaphore(value: 0) }
        let readers = turns.map { turn in
            Thread {
                begun.send()
                var last = 0
                for _ in 0..<200 {
                    turn.wait()
                    for _ in 0..<20 {
                        let shelf = store.state
                        if shelf.items != Array(0..<shelf.items.count) || shelf.items.count % 2 != 0
                            || shelf.items.count < last
                        {
                            wrong.change { $0.append(shelf) }
                        }
                        last = shelf.items.count
                    }
                }
                begun.send()
            }
        }
        for reader in readers { reader.start() }
        await begun.wait(times: 2)
        for number in 0..<200 {
            for turn in turns { turn.signal() }
            try await store.dispatch(.all(number * 2, [.add(number * 2 + 1)]))
            if number % 10 == 9 { try await store.dispatch(.addAndRefuse(7)) }
        }
        await begun.wait(times: 2)
        #expect(wrong.value.isEmpty)
        #expect(store.state.items.count == 400)
    }

    @Test func `a listener that begins while a reducer runs gets each state`() async throws {
        let store = try await journal().open(shelfMachine(name), stream: "a")
        try await add(1...5, to: store)
        async let counts: [Int] = {
            var counts: [Int] = []
            for await state in store.states {
                counts.append(state.items.count)
                if state.items.count == 105 { break }
            }
            return counts
        }()
        try await add(6...105, to: store)
        let all = await counts
        #expect(all == Array(all[0]...105))
    }
}
