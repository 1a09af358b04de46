import Testing
import TortureKit

@testable import JournalStore

/// Progress of a download.
private struct Progress: Hashable, Sendable {
    var percent: Int
    init(_ percent: Int) { self.percent = percent }
}

@Suite struct `Outputs of effects` {
    let door = Door()

    @Test func `the caller of a dispatch gets what its effects emit, from their start on`() async throws {
        let store = try await Journal.inMemory().openPlay { name in
            .run("a") { context in
                for percent in [0, 50, 100] { context.emit(Progress(percent)) }
                return .ended(name)
            }
        }
        let dispatched = try await store.dispatch(.start("x"))
        await dispatched.completion()
        #expect(await dispatched.outputs(of: Progress.self).first() == Progress(0))
        #expect(await dispatched.outputs(of: Progress.self).all() == [0, 50, 100].map(Progress.init))
        var seen: [Int] = []
        for await progress in dispatched.outputs(of: Progress.self) { seen.append(progress.percent) }
        #expect(seen == [0, 50, 100])
    }

    @Test func `a value arrives while its effect runs`() async throws {
        let store = try await Journal.inMemory().openPlay { [door] _ in
            .fireAndForget("a") { context in
                context.emit(1)
                await door.pass()
                context.emit(2)
            }
        }
        let dispatched = try await store.dispatch(.start("x"))
        var outputs = dispatched.outputs(of: Int.self).makeAsyncIterator()
        #expect(await outputs.next() == 1)
        door.open()
        #expect(await outputs.next() == 2)
        #expect(await outputs.next() == nil)
    }

    @Test func `a dispatch gets the outputs of its own effects only, unless it tracks feedback`() async throws {
        let store = try await Journal.inMemory().openPlay { name in
            .run(name) { context in
                context.emit(name)
                return name == "first" ? .start("second") : nil
            }
        }
        let own = try await store.dispatch(.start("first"))
        #expect(await own.outputs(of: String.self).all() == ["first"])
        let all = try await store.dispatch(.start("first"), trackingFeedback: true)
        #expect(await all.outputs(of: String.self).all() == ["first", "second"])
        let none = try await store.dispatch(.add(1))
        #expect(await none.outputs(of: String.self).first() == nil)
    }

    /// An effect can send actions for months.
    @Test func `nothing is collected for a dispatch whose result nobody has`() async throws {
        let (entered, door) = (Signal(), Signal())
        let store = try await Journal.inMemory().openPlay { name in
            .stream(name) { send, context in
                for number in 1...3 {
                    entered.send()
                    await door.wait()
                    context.emit(number)
                    try await send(.add(number))
                }
            }
        }
        var outputs: OutputSequence<Int>?
        var results: AsyncStream<Result<Play, any Error>>?
        do {
            let dispatched = try await store.dispatch(.start("x"), id: "one")
            (outputs, results) = (dispatched.outputs(of: Int.self), dispatched.results)
        }
        await entered.wait()
        door.send()
        // A sequence keeps what it reads.
        #expect(await outputs?.first() == 1)
        #expect(!store.engine.dispatches.tracked.isEmpty)
        outputs = nil
        var iterator = results?.makeAsyncIterator()
        #expect(try await iterator?.next()?.get() == .add(1))
        (results, iterator) = (nil, nil)
        await entered.wait()
        #expect(store.engine.dispatches.tracked.isEmpty)
        door.send()
        await entered.wait()
        // Whoever asks again gets what comes from now on.
        let again = try await store.dispatch(.start("x"), id: "one")
        #expect(again.outcome == .repeated)
        door.send()
        #expect(await again.outputs(of: Int.self).all() == [3])
        await again.completion()
        try await store.close()
    }

    /// The effects of the first dispatch have ended, and those that they led to have not.
    @Test func `a repeated dispatch that tracks feedback waits for the effects that are left`() async throws {
        let (entered, door) = (Signal(), Signal())
        let store = try await Journal.inMemory().openPlay { name in
            .run(name) { _ in
                if name == "first" { return .start("second") }
                entered.send()
                await door.wait()
                return nil
            }
        }
        let first = try await store.dispatch(.start("first"), id: "x")
        await first.completion()
        await entered.wait()
        let again = try await store.dispatch(.start("first"), id: "x", trackingFeedback: true)
        #expect(again.outcome == .repeated)
        let isOver = Box(false)
        let waiting = Task {
            await again.completion()
            isOver.change { $0 = true }
        }
        // What has nothing left to wait for is over by now.
        try await store.flush()
        for _ in 1...100 { await Task.yield() }
        #expect(!isOver.value)
        door.send()
        await waiting.value
    }

    @Test func `the app gets the outputs of all effects from its call on, until the store ends`() async throws {
        let store = try await Journal.inMemory().openPlay { name in
            .run(name) { context in
                context.emit(name)
                return name == "first" ? .start("second") : nil
            }
        }
        try await store.dispatch(.start("before"), trackingFeedback: true).completion()
        let outputs = store.outputs(of: String.self)
        try await store.dispatch(.start("first"), trackingFeedback: true).completion()
        try await store.dispatch(.start("third"), trackingFeedback: true).completion()
        #expect(await outputs.first() == "first")
        try await store.close()
        #expect(await outputs.all() == ["first", "second", "third"])
        #expect(await store.outputs(of: String.self).all() == [], "the store has ended")
    }

    @Test func `a listener gets the values that are of its type, and skips the others`() async throws {
        let store = try await Journal.inMemory().openPlay { _ in
            .fireAndForget("a") { context in
                context.emit(1)
                context.emit("two")
                context.emit(Progress(3))
                context.emit(4)
            }
        }
        let dispatched = try await store.dispatch(.start("x"))
        #expect(await dispatched.outputs(of: Int.self).all() == [1, 4])
        #expect(await dispatched.outputs(of: String.self).all() == ["two"])
        #expect(await dispatched.outputs(of: Double.self).all() == [])
        let numbers = await dispatched.outputs(of: (any Sendable & CustomStringConvertible).self).all()
        #expect(numbers.map(\.description) == ["1", "two", "4"])
    }

    @Test func `a listener that does not keep up gets the newest 1,024 values`() async throws {
        let store = try await Journal.inMemory().openPlay { _ in
            .fireAndForget("a") { context in for number in 1...3000 { context.emit(number) } }
        }
        let outputs = store.outputs(of: Int.self)
        var iterator = outputs.makeAsyncIterator()
        let dispatched = try await store.dispatch(.start("x"))
        await dispatched.completion()
        let newest = Array(1977...3000)
        #expect(await dispatched.outputs(of: Int.self).all() == newest)
        #expect(await iterator.next() == 1977)
        #expect(await iterator.next() == 1978)
        try await store.close()
        #expect(await outputs.all() == newest)
    }

    @Test func `nothing is kept while there is no listener`() async throws {
        final class Piece: Sendable {}
        weak var early: Piece?
        weak var late: Piece?
        let lazy = LazyOutputLog()
        do {
            let first = Piece()
            early = first
            lazy.append(first)
        }
        #expect(early == nil, "there is no listener yet")
        var listener: OutputSequence<Piece>? = OutputSequence(lazy.log)
        do {
            let second = Piece()
            late = second
            lazy.append(second)
        }
        #expect(await listener?.first() === late)
        #expect(late != nil)
        listener = nil
        #expect(late == nil, "there is no listener any more")
    }

    @Test(arguments: ["end", "failure", "cancel", "close", "release"])
    func `what is emitted after the body has ended or was cancelled is dropped`(_ end: String) async throws {
        let context = Box<EffectContext?>(nil)
        let journal = try Journal.inMemory()
        var store: Store<Play, Score>? = try await journal.openPlay { [door] name in
            .fireAndForget(name, id: name) { own in
                own.emit("in time")
                context.change { $0 = own }
                await door.pass()
                if end == "failure" { throw CancellationError() }
            }
        }
        let all = try #require(store?.outputs(of: String.self))
        let dispatched = try #require(try await store?.dispatch(.start("x")))
        await door.comers(1)
        switch end {
        case "cancel": try await dispatched.cancel()
        case "close": try await store?.close()
        case "release":
            store = nil
            await journal.waitForRelease(of: "a")
        default:
            door.open()
            await dispatched.completion()
        }
        let late = try #require(context.value)
        late.emit("too late")
        door.open()
        try await journal.close()
        #expect(await all.all() == ["in time"])
        #expect(await dispatched.outputs(of: String.self).all() == ["in time"])
    }

    @Test func `what is emitted while the last action of an ended body is committed is dropped`() async throws {
        struct Last: Codable, Sendable {
            let encoded: @Sendable () -> Void
            init(_ encoded: @escaping @Sendable () -> Void = {}) { self.encoded = encoded }
            init(from decoder: any Decoder) throws { self.init() }
            func encode(to encoder: any Encoder) throws {
                encoded()
                var container = encoder.singleValueContainer()
                try container.encode("last")
            }
        }
        var options = Journal.Options()
        options.checksCoding = false
        let machine = Machine<Last, Int, Void>("last", initialState: 0) { _, count, _ in
            count += 1
            return count > 1
                ? .none
                : .run("a") { context in
                    context.emit(1)
                    return Last { context.emit(2) }
                }
        }
        let store = try await Journal.inMemory(options: options).open(machine, stream: "a")
        let dispatched = try await store.dispatch(Last())
        #expect(await dispatched.outputs(of: Int.self).all() == [1])
        #expect(store.state == 2)
    }

    @Test func `outputs are not journaled, and a body that runs again emits again`() async throws {
        let folder = try TemporaryFolder()
        func open(_ journal: Journal) async throws -> Store<Play, Score> {
            try await journal.openPlay { [door] name in
                .run(name) { context in
                    context.emit("attempt \(context.attempt)")
                    await door.pass()
                    return .ended(name)
                }
            }
        }
        var journal = try openJournal(folder.path("a.db"))
        var dispatched = try await open(journal).dispatch(.start("x"), id: "once")
        #expect(await dispatched.outputs(of: String.self).first() == "attempt 1")
        try await journal.close()
        #expect(await dispatched.outputs(of: String.self).all() == ["attempt 1"])
        #expect(try Shell(folder.path("a.db"), readOnly: true)("SELECT count(*) FROM entry") == ["1"])

        journal = try openJournal(folder.path("a.db"))
        let store = try await open(journal)
        await door.comers(2)
        // A caller that asks again follows the resumed run from then on.
        dispatched = try await store.dispatch(.start("x"), id: "once")
        let outputs = store.outputs(of: String.self)
        door.open()
        await dispatched.completion()
        #expect(await dispatched.outputs(of: String.self).all() == [])
        try await journal.close()
        #expect(await outputs.all() == [])
    }

    @Test func `a caller that asks again after a restart gets what the resumed run emits then`() async throws {
        let folder = try TemporaryFolder()
        func open(_ journal: Journal) async throws -> Store<Play, Score> {
            try await journal.openPlay { [door] name in
                .fireAndForget(name) { context in
                    await door.pass()
                    context.emit(context.isResumed)
                }
            }
        }
        var journal = try openJournal(folder.path("a.db"))
        let store = try await open(journal)
        try await store.dispatch(.start("x"), id: "once")
        try await journal.close()
        journal = try openJournal(folder.path("a.db"))
        let reopened = try await open(journal)
        let again = try await reopened.dispatch(.start("x"), id: "once")
        door.open()
        #expect(await again.outputs(of: Bool.self).all() == [true])
        try await journal.close()
    }

    @Test func `a listener whose task is cancelled ends`() async throws {
        let store = try await Journal.inMemory().openPlay { [door] _ in
            .fireAndForget("a") { context in
                context.emit(1)
                await door.pass()
            }
        }
        let dispatched = try await store.dispatch(.start("x"))
        let began = Signal()
        let listening = Task {
            var seen: [Int] = []
            for await number in dispatched.outputs(of: Int.self) {
                seen.append(number)
                began.send()
            }
            return seen
        }
        await began.wait()
        listening.cancel()
        #expect(await listening.value == [1])
        door.open()
    }
}
