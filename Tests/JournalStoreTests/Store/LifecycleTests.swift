import CFaultVFS
import CJournalSQLite
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `The life of a store` {
    @Test func `a closed store refuses every call, and its stream can be opened again`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay()
        let open = await journalError { try await journal.openPlay() }
        #expect(open?.code == .streamOpen)
        try await store.dispatch(.add(1))
        try await store.close()
        #expect(await journalError { try await store.dispatch(.add(1)) }?.code == .closed)
        #expect(await journalError { try await store.dispatch(contentsOf: [.add(1)]) }?.code == .closed)
        #expect(await journalError { try await store.dispatch(contentsOf: []) }?.code == .closed)
        #expect(await journalError { try await store.dispatch(.add(1)) { _ in true } }?.code == .closed)
        #expect(await journalError { try await store.cancel(id: "x") }?.code == .closed)
        #expect(await journalError { try await store.flush() }?.code == .closed)
        try await store.close()
        #expect(store.state.sum == 1)
        let again = try await journal.openPlay()
        #expect(try await again.dispatch(.add(2)).step == 2)
        #expect(again.state.sum == 3)
    }

    @Test func `close waits for what was dispatched before it`() async throws {
        let folder = try TemporaryFolder()
        let journal = try openJournal(folder.path("a.db"))
        let store = try await journal.openPlay()
        let results = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                group.addTask {
                    do {
                        try await store.dispatch(.add(1))
                        return true
                    } catch let error as JournalError where error.code == .closed {
                        return false
                    }
                }
                if number == 32 {
                    group.addTask {
                        try await store.close(); return false
                    }
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(store.state.sum == results)
        #expect(try journal.reader.stream("a").headStep == results)
        #expect(try journal.reader.stream("a").settledStep == results)
        try await journal.close()
    }

    @Test func `a second call that closes a journal waits for the stores that the first one closes`() async throws {
        let folder = try TemporaryFolder()
        let door = Door()
        var machine = Machine<Int, Int, Void>("counter", initialState: 0) { number, state, _ in
            state = number
            return .none
        }
        machine.middleware = [JournalStore.Middleware { _ in await door.pass() }]
        let journal = try openJournal(folder.path("a.db"))
        let store = try await journal.open(machine, stream: "a")
        try await store.dispatch(7)
        await door.comers(1)
        let first = Task { try await journal.close() }
        // The store has ended, and its closing waits for the middleware.
        for await _ in store.states {}
        let isOver = Box(false)
        let second = Task {
            try await journal.close()
            isOver.change { $0 = true }
        }
        for _ in 0..<1_000 { await Task.yield() }
        #expect(!isOver.value)
        door.open()
        try await first.value
        try await second.value
        // Released before, the store would hold up the second call.
        #expect(store.state == 7)
        #expect(try Shell(folder.path("a.db"), readOnly: true)("SELECT step FROM snapshot") == ["1"])
    }

    /// Nobody has closed it, but the journal is closed in order: then the past is not left to the next version.
    @Test(arguments: [false, true]) func `a new version begins with the state of a store, or a host, that was released`(
        _ isHost: Bool
    ) async throws {
        func multiplying(_ version: Int) -> Machine<Int, Int, Void> {
            Machine<Int, Int, Void>("multiplying", version: version, initialState: 0) { $0 += version * $1 }
                .unchanged(since: 1)
        }
        func work(_ journal: Journal) async throws {
            if isHost {
                let host = try journal.host(multiplying(1))
                for number in 1...3 { try await host.dispatch(number, to: "x") }
            } else {
                let store = try await journal.open(multiplying(1), stream: "x")
                for number in 1...3 { try await store.dispatch(number) }
            }
        }
        let folder = try TemporaryFolder()
        for round in 1...20 {
            let notices = Box<[Notice.Kind]>([])
            let path = folder.path("\(round).db")
            var journal = try openJournal(path)
            try await work(journal)
            // The journal is closed after the release, or meanwhile.
            if round.isMultiple(of: 2) { await journal.waitForRelease(of: "x") }
            try await journal.close()
            journal = try openJournal(path) { $0.report = { notice in notices.change { $0.append(notice.kind) } } }
            let store = try await journal.open(multiplying(10), stream: "x")
            #expect(store.state == 6)
            #expect(store.recovery.olderSteps == 0)
            #expect(notices.value == [])
            try await store.dispatch(1)
            try await store.close()
            // After a kill there is no snapshot, and that is reported.
            try Shell(path)("DELETE FROM snapshot WHERE NOT is_base")
            let next = try await journal.open(multiplying(11), stream: "x")
            #expect(next.state == 17)
            #expect(next.recovery.olderSteps == 1)
            #expect(notices.value == [.olderSteps])
            try await journal.close()
        }
    }

    @Test func `a store that is released frees its stream`() async throws {
        let journal = try Journal.inMemory()
        let effects: @Sendable (String) -> Effect<Play> = { _ in
            .run {
                try await forever(); return nil
            }
        }
        var store: Store<Play, Score>? = try await journal.openPlay(effects: effects)
        try await store?.dispatch(.start("x"))
        store = nil
        // What is still under way is finished first.
        let again = try await journal.openPlay(effects: effects)
        #expect(again.recovery.resumed.count == 1)
    }

    @Test func `an opening with another machine or an older version is refused`() async throws {
        let journal = try Journal.inMemory()
        let new = Machine<Play, Score, Void>("play", version: 3, initialState: Score(), update: { _, _ in })
        let store = try await journal.open(new, stream: "a")
        try await store.dispatch(.add(1))
        try await store.close()
        let other = Machine<Play, Score, Void>("other", initialState: Score(), update: { _, _ in })
        #expect(await journalError { try await journal.open(other, stream: "a") }?.code == .otherMachine)
        let older = await journalError { try await journal.openPlay() }
        #expect(older?.code == .newerMachine)
        #expect(older?.step == 1)
        #expect(older?.description.contains("version 3") == true)
        // A refusal leaves the stream free.
        #expect(try await journal.open(new, stream: "a").recovery.snapshotStep == 1)
    }

    @Test func `a store whose journal failed throws the cause and leaves its effects running`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        let vfs = FaultVFS()
        let door = Door()
        let thrown = Box<[String]>([])
        let told = Signal()
        let journal = try openJournal(path) { $0.vfs = vfs.name }
        let store = try await journal.openPlay { name in
            .stream(name) { send, _ in
                await door.pass()
                do { try await send(.ended(name)) } catch let error as JournalError {
                    thrown.change { $0.append(error.code.rawValue) }
                }
                told.send()
            }
        }
        let states = store.states
        try await store.dispatch(.start("x"))
        await door.comers(1)
        try await store.flush()
        vfs.fail(FAULT_SYNC, suffix: "-wal", code: Extended.inputOutputSync)
        let error = await journalError { try await store.dispatch(.add(1)) }
        #expect(error?.code == .outcomeUnknown)
        #expect(error?.file == path && error?.stream == "a")
        vfs.clear()
        let later = await journalError { try await store.dispatch(.add(1)) }
        #expect(later?.code == .outcomeUnknown)
        #expect(later?.stream == "a")
        #expect(later?.description.contains("open the journal again") == true)
        door.open()
        await told.wait()
        #expect(thrown.value == ["outcome-unknown"])
        var seen: [Int] = []
        for await state in states { seen.append(state.sum) }
        #expect(seen == [0, 0], "the listeners end")
        try? await journal.close()
        let again = try openJournal(path)
        #expect(try again.reader.liveRuns(in: "a").map(\.status) == [.running])
        try await again.close()
    }

    @Test func `a close with a condition cancels the effects that meet it and leaves the rest running`() async throws {
        let folder = try TemporaryFolder()
        let journal = try openJournal(folder.path("a.db"))
        let store = try await journal.openPlay { name in
            .run(name, id: name) {
                try await forever(); return nil
            }
                + .run("anonymous") {
                    try await forever(); return nil
                }
        }
        try await store.dispatch(.start("x"))
        try await store.dispatch(.start("y"))
        try await store.close { $0 == AnyEffectID("x") }
        #expect(
            try Shell(folder.path("a.db"), readOnly: true)("SELECT name, status FROM effect_run ORDER BY step, ordinal")
                == ["x|cancelled", "anonymous|running", "y|running", "anonymous|running"])
        try await journal.close()
    }

    @Test func `a thousand stores work on one journal, and a closed one is forgotten`() async throws {
        let folder = try TemporaryFolder()
        let journal = try openJournal(folder.path("a.db")) { $0.durability = .normal }
        var stores: [Store<Play, Score>] = []
        for number in 0..<1000 { stores.append(try await journal.openPlay("stream-\(number)")) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for store in stores {
                group.addTask {
                    for number in 1...3 { try await store.dispatch(.add(number)) }
                }
            }
            try await group.waitForAll()
        }
        #expect(stores.allSatisfy { $0.state.sum == 6 })
        for store in stores.dropFirst() { try await store.close() }
        #expect(try journal.reader.streams().map(\.headStep) == Array(repeating: 3, count: 1000))
        #expect(journal.stores.withLock { $0.byStream.count } == 1)
        try await journal.close()
    }

    @Test func `a stream that was closed writes nothing more, also if a store has the stream open`() async throws {
        let journal = try Journal.inMemory()
        let log = try await journal.openStream("a", machine: "play")
        try await log.close()
        for isOpen in [false, true] {
            let store = isOpen ? try await journal.openPlay() : nil
            try await store?.dispatch(.add(1))
            for error in [
                await journalError { try await log.append("1") },
                await journalError { try await log.append(contentsOf: ["1"]) },
                await journalError { try await log.saveSnapshot("{}", at: 1) },
            ] {
                #expect(error?.code == .closed)
                #expect(error?.stream == "a")
            }
            try await store?.dispatch(.add(1))
            #expect(store?.state.sum ?? 2 == 2)
        }
        try await journal.close()
    }

    @Test func `a log can be opened as soon as the store of its stream is released`() async throws {
        let journal = try Journal.inMemory()
        for _ in 1...20 {
            _ = try await journal.openPlay().dispatch(.add(1))
            try await journal.openStream("a", machine: "play").close()
        }
        try await journal.close()
    }

    @Test(arguments: ["close", "release"])
    func `an effect that has failed just before the end of its store is reported`(_ end: String) async throws {
        struct Failure: Error {}
        let notices = Box<[Notice.Kind]>([])
        let folder = try TemporaryFolder()
        let journal = try openJournal(folder.path("a.db")) {
            $0.report = { notice in notices.change { $0.append(notice.kind) } }
        }
        var store: Store<Play, Score>? = try await journal.openPlay { name in .run(name) { throw Failure() } }
        let sent = try await store?.dispatch(.start("x"))
        await sent?.completion()
        if end == "close" { try await store?.close() }
        store = nil
        await journal.waitForRelease(of: "a")
        #expect(notices.value == [.effectFailed])
        try await journal.close()
    }

    @Test func `a close returns after an append that has begun is committed`() async throws {
        let journal = try Journal.inMemory()
        var head = 0
        for _ in 1...200 {
            let log = try await journal.openStream("a", machine: "play")
            async let refusal = journalError { try await log.append("1") }
            try await log.close()
            let closedAt = try journal.reader.stream("a").headStep
            if await refusal == nil { head += 1 }
            #expect(closedAt == head)
        }
        try await journal.close()
    }

    @Test func `no snapshot is saved before the first step`() async throws {
        let journal = try Journal.inMemory()
        let log = try await journal.openStream("a", machine: "play")
        let error = await journalError { try await log.saveSnapshot("{}", at: 0) }
        #expect(error?.code == .noSuchStep)
        #expect((error?.stream, error?.step) == ("a", 0))
        try await journal.close()
    }
}
