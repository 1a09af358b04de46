import Testing
import TortureKit

@testable import JournalStore

/// What users who had only the README did, and what must hold then.
@Suite struct `Found by new users` {
    enum Basket: Codable, Sendable, Equatable { case add(LooseSet) }

    @Test func `a stream whose first steps a running effect needs can be pruned and opened`() async throws {
        let folder = try TemporaryFolder()
        let door = Door()
        let effects: @Sendable (String) -> Effect<Play> = { name in
            .run(name) {
                await door.pass()
                return .ended(name)
            }
        }
        var journal = try openJournal(folder.path("a.db")) { $0.snapshots = .never }
        var store = try await journal.openPlay(effects: effects)
        for number in 1...40 {
            try await store.dispatch(number == 5 ? .start("w") : .add(1))
            if number == 30 {
                try await store.flush()
                try await store.engine.stream.saveSnapshot(
                    store.engine.program.encode(store.state, store.engine.location), at: 30)
            }
        }
        try await store.flush()
        try await journal.prune("a", before: 40)
        try await journal.close()
        journal = try openJournal(folder.path("a.db"))
        store = try await journal.openPlay(effects: effects)
        #expect(store.state.sum == 39)
        #expect(store.recovery.resumed.map(\.name) == ["w"])
        door.open()
        _ = try await store.dispatch(.add(0)) { $0.log == ["w"] }
        try await journal.close()
    }

    @Test func `a repeated dispatch after a restart waits for the resumed effects, and can cancel them`() async throws {
        let journal = try Journal.inMemory()
        let door = Door()
        let effects: @Sendable (String) -> Effect<Play> = { name in
            .run(name) {
                await door.pass()
                return .ended(name)
            }
        }
        var store = try await journal.openPlay(effects: effects)
        for name in ["x", "y"] { try await store.dispatch(.start(name), id: name) }
        await door.comers(2)
        try await store.close()
        store = try await journal.openPlay(effects: effects)
        let (first, second) = (
            try await store.dispatch(.start("x"), id: "x"), try await store.dispatch(.start("y"), id: "y")
        )
        #expect(first.outcome == .repeated)
        try await second.cancel()
        door.open()
        await first.completion()
        await second.completion()
        #expect(store.state.log == ["x"])
        try await store.flush()
        #expect(try journal.reader.effectRuns(in: "a").map(\.status) == [.completed, .cancelled])
    }

    @Test func `an equal action with the same dispatch ID is a repetition, however it was encoded`() async throws {
        let journal = try Journal.inMemory()
        let machine = Machine<Basket, [String], Void>("basket", initialState: []) { state, action in
            if case .add(let items) = action { state += items.members.sorted() }
        }
        let store = try await journal.open(machine, stream: "a")
        let letters = (0..<20).map { "\($0)" }
        try await store.dispatch(.add(LooseSet(Set(letters))), id: "order-7")
        for _ in 0..<20 {
            // Another order inside, and therefore another text.
            var same: Set<String> = Set(minimumCapacity: .random(in: 1...500))
            for letter in letters.shuffled() { same.insert(letter) }
            #expect(try await store.dispatch(.add(LooseSet(same)), id: "order-7").outcome == .repeated)
        }
        #expect(
            await journalError { try await store.dispatch(.add(LooseSet([])), id: "order-7") }?.code
                == .dispatchIDReused)
        #expect(store.state.count == 20)
        // The same with a dispatch that waits for a state.
        for _ in 0..<20 {
            var same: Set<String> = Set(minimumCapacity: .random(in: 1...500))
            for letter in letters.shuffled() { same.insert(letter) }
            #expect(
                try await store.dispatch(.add(LooseSet(same)), id: "order-7", until: { $0.count == 20 }).count == 20)
        }
        #expect(try journal.reader.streams()[0].headStep == 1)
    }

    @Test func `a dispatch ID is recognised by a new version of the machine`() async throws {
        let journal = try Journal.inMemory()
        let one = Machine<Int, Int, Void>("sum", initialState: 0, update: { $0 += $1 })
        let first = try await journal.open(one, stream: "a")
        try await first.dispatch(5, id: "id1")
        try await first.close()
        let two = Machine<Play, Int, Void>("sum", version: 2, initialState: 0) { state, action in
            if case .add(let number) = action { state += number }
        }
        .upcasting(actionsFrom: 1) { (old: Int) in Play.add(old) }
        .upcasting(statesFrom: 1) { (old: Int) in old }
        let second = try await journal.open(two, stream: "a")
        #expect(try await second.dispatch(.add(5), id: "id1").outcome == .repeated)
        #expect(await journalError { try await second.dispatch(.add(6), id: "id1") }?.code == .dispatchIDReused)
        #expect(second.state == 5)
    }

    @Test func `a snapshot that does not belong to its entry is skipped`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        var journal = try openJournal(path)
        var store = try await journal.openPlay()
        try await store.dispatch(.add(5))
        try await journal.close()
        try Shell(path)(
            "UPDATE snapshot SET digest = randomblob(16), state = '{\"drawn\":[],\"log\":[],\"sum\":777}'")
        journal = try openJournal(path)
        store = try await journal.openPlay()
        #expect(store.state.sum == 5)
        #expect(store.recovery.skippedSnapshots.count == 1)
        try await journal.close()
    }

    @Test func `a delay that is too long for the clock waits as long as possible`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay { name in .run(name, id: name, delay: .seconds(Int64.max)) { nil } }
        try await store.dispatch(.start("x"))
        try await store.flush()
        #expect(try journal.reader.effectRuns(in: "a").map(\.status) == [.delayed])
        try await store.cancel(id: "x")
        #expect(try journal.reader.effectRuns(in: "a").map(\.status) == [.cancelled])
        var iterator = store.transitions(from: .min).makeAsyncIterator()
        #expect(try await iterator.next()?.step == 1)
    }

    @Test func `an orphan is resumed when the code has its effect again`() async throws {
        let journal = try Journal.inMemory()
        func open(_ name: String) async throws -> Store<Play, Score> {
            try await journal.openPlay { _ in
                .run(name) { context in
                    if !context.isResumed { try await forever() }
                    return .ended("\(context.attempt)")
                }
            }
        }
        var store = try await open("work")
        try await store.dispatch(.start("x"))
        try await store.flush()
        try await store.close()
        store = try await open("renamed")
        #expect(store.recovery.orphaned.map(\.name) == ["work"])
        #expect(store.recovery.resumed == [])
        try await store.flush()
        #expect(try journal.reader.effectRuns(in: "a").map(\.status) == [.orphaned])
        try await store.close()
        store = try await open("work")
        #expect(store.recovery.resumed.map(\.name) == ["work"])
        _ = try await store.dispatch(.add(1)) { $0.log == ["2"] }
    }

    @Test func `an effect that a restart cancels is not retried after a restart between two attempts`() async throws {
        let journal = try Journal.inMemory()
        let tries = Box(0)
        let failed = Signal()
        func open() async throws -> Store<Play, Score> {
            try await journal.openPlay { name in
                .run(name, restart: .cancel, retry: .constant(maxAttempts: 5, delay: .seconds(3600))) {
                    tries.change { $0 += 1 }
                    failed.send()
                    throw CancellationError()
                }
            }
        }
        var store = try await open()
        try await store.dispatch(.start("x"))
        await failed.wait()
        try await store.flush()
        while try journal.reader.effectRuns(in: "a").map(\.status) != [.delayed] { try await store.flush() }
        try await store.close()
        store = try await open()
        #expect(store.recovery.cancelled.count == 1)
        try await store.flush()
        #expect(try journal.reader.effectRuns(in: "a").map(\.status) == [.cancelled])
        #expect(tries.value == 1)
    }

    @Test func `a stream can be opened after its store was released, even in a cancelled task`() async throws {
        let journal = try Journal.inMemory()
        for _ in 0..<50 {
            let closed = try await journal.openPlay()
            try await closed.close()
            var store: Store<Play, Score>? = try await journal.openPlay()
            try await store?.dispatch(.add(1))
            withExtendedLifetime(closed) {}
            store = nil
            let again = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                let store = try await journal.openPlay()
                try await store.close()
            }
            try await again.value
        }
    }
}
