import CFaultVFS
import CJournalSQLite
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Law 1, in a store: append before reduce` {
    @Test func `a reducer gets only committed actions, also from effects`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        let missing = Box<[Int]>([])
        let seen = Box(0)
        let journal = try openJournal(path) { $0.reducesTwice = false }
        let store = try await journal.openPlay { name in
            .run { .ended(name) }
        } reduced: { _, step in
            guard step.substep == 0 else { return }
            seen.change { $0 += 1 }
            // Another connection sees only what is committed.
            let steps = try? Shell(path, readOnly: true)("SELECT step FROM entry WHERE step = \(step.number)")
            if steps != ["\(step.number)"] { missing.change { $0.append(step.number) } }
        }
        try await store.dispatch(.add(1))
        let dispatched = try await store.dispatch(.start("x"), trackingFeedback: true)
        await dispatched.completion()
        try await store.dispatch(contentsOf: [.add(2), .cascade(3)])
        #expect(seen.value == 5)
        #expect(missing.value == [])
        try await journal.close()
    }

    @Test func `if the append fails, dispatch throws, the state is unchanged, and no effect starts`() async throws {
        let folder = try TemporaryFolder()
        let vfs = FaultVFS()
        let started = Box(0)
        let journal = try openJournal(folder.path("a.db")) { $0.vfs = vfs.name }
        let store = try await journal.openPlay { _ in
            .fireAndForget { started.change { $0 += 1 } }
        }
        try await store.dispatch(.add(1))
        vfs.fail(FAULT_WRITE, suffix: "-wal", count: -1, code: SQLITE_FULL)
        let error = await journalError { try await store.dispatch(.start("never")) }
        #expect(error?.code == .diskFull)
        #expect(
            await journalError { try await store.dispatch(contentsOf: [.add(5), .start("never")]) }?.code == .diskFull)
        #expect(store.state == Score(sum: 1))
        vfs.clear()
        // The journal continues, and the step was not used.
        #expect(try await store.dispatch(.add(2)).step == 2)
        #expect(store.state == Score(sum: 3))
        #expect(started.value == 0)
        try await journal.close()
        #expect(try Shell(folder.path("a.db"))("SELECT count(*) FROM effect_run") == ["0"])
    }

    @Test func `an action that was committed when its store ended is not reported as unwritten`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay()
        let engine = store.engine
        let stamp = Appended.Stamp(time: .now(), digest: Digest(of: ""))
        engine.fail(engine.location.error(.notStorable, "The store failed.", advice: "Open it again."))
        for (stamp, expected) in [(stamp, JournalError.Code.outcomeUnknown), (nil, .notStorable)] {
            let answers = Box<[any Error]>([])
            let request = DispatchRequest<Play, Score>(.add(1), Batch(), to: engine, waitsForState: true)
            request.reply = .until({ _ in true }) { result in
                if case .failure(let error) = result { answers.change { $0.append(error) } }
            }
            request.result = .success([Appended(step: 1, position: 1, stamp: stamp)])
            engine.committed(request)
            #expect(answers.value.map { ($0 as? JournalError)?.code } == [expected])
        }
        try await journal.close()
    }

    @Test func `an action that cannot be encoded is refused before anything is appended`() async throws {
        struct Measure: Codable, Sendable, Equatable { var value: Double }
        let journal = try Journal.inMemory()
        let store = try await journal.open(
            Machine<Measure, Double, Void>("measure", initialState: 0, update: { $0 = $1.value }), stream: "a")
        let error = await journalError { try await store.dispatch(Measure(value: .nan)) }
        #expect(error?.code == .notStorable)
        #expect(
            error?.description.contains("stream 'a': The action '") == true
                && error?.description.contains(
                    "Measure' cannot be encoded at value: not a finite number. Nothing was appended.") == true
        )
        let several = await journalError {
            try await store.dispatch(contentsOf: [Measure(value: 1), Measure(value: .infinity)])
        }
        #expect(several?.code == .notStorable)
        #expect(try journal.reader.entries(in: "a").isEmpty)
        #expect(store.state == 0)
        #expect(try await store.dispatch(Measure(value: 2)).step == 1)
    }
}
