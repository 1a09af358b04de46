import Dispatch
import JournalStore
import Testing

@Suite struct `Actomaton: a cancelled effect` {
    @Test func `a cancelled body sees Task.isCancelled, and the action it returns is dropped`() async throws {
        let bench = try Workbench()
        let door = Door()
        let ended = Signal()
        let wasCancelled = Box<[Bool]>([])
        let store = try await bench.openPlay { name in
            .run(name, id: name) {
                wasCancelled.change { $0.append(Task.isCancelled) }
                await door.pass()
                wasCancelled.change { $0.append(Task.isCancelled) }
                ended.send()
                return .ended("too late")
            }
        }
        let dispatched = try await store.dispatch(.start("x"))
        await door.comers(1)
        try await store.dispatch(.cancel("x"))
        await dispatched.completion()
        #expect(wasCancelled.value == [false], "completion does not wait for the body")
        door.open()
        await ended.wait()
        #expect(wasCancelled.value == [false, true])
        for number in 1...20 { try await store.dispatch(.add(number)) }
        #expect(store.state == Score(sum: 210))
        #expect(
            try await bench.sql("SELECT name, status, delivered FROM effect_run", after: store) == ["x|cancelled|0"])
        #expect(try bench.sql("SELECT count(*) FROM journal WHERE origin = 'effect'") == ["0"])
        try await bench.journal.close()
    }

    @Test func `a cancelled body that sends gets a CancellationError, and its actions are dropped`() async throws {
        let bench = try Workbench()
        let door = Door()
        let ended = Signal()
        let thrown = Box<[String]>([])
        let wasCancelled = Box(false)
        let store = try await bench.openPlay { name in
            .stream(name, id: name) { send, _ in
                try await send(.ended("in time"))
                await door.pass()
                wasCancelled.change { $0 = Task.isCancelled }
                for _ in 0..<2 {
                    do { try await send(.ended("too late")) } catch {
                        thrown.change { $0.append("\(type(of: error))") }
                    }
                }
                ended.send()
            }
        }
        let dispatched = try await store.dispatch(.start("x"))
        await door.comers(1)
        try await store.dispatch(.cancel("x"))
        door.open()
        await ended.wait()
        #expect(wasCancelled.value)
        #expect(thrown.value == ["CancellationError", "CancellationError"])
        await dispatched.completion()
        #expect(store.state.log == ["in time"])
        #expect(
            try await bench.sql("SELECT name, status, delivered, error FROM effect_run", after: store) == [
                "x|cancelled|1|"
            ])
        #expect(try bench.sql("SELECT step, name FROM journal") == ["1|start", "2|ended", "3|cancel"])
        try await bench.journal.close()
    }

    @Test func `an action that is being encoded when its effect is cancelled is dropped`() async throws {
        let bench = try Workbench()
        let (ended, thrown, thread) = (Signal(), Box(""), OwnThread())
        let machine = Machine<Word, [String], Void>("words", initialState: []) { action, state, _ in
            state.append(action.text)
            switch action.text {
            case "start":
                return .stream("talk", id: "talk") { send, _ in
                    // On its own thread, because the callback during encoding blocks it.
                    await withTaskExecutorPreference(thread) {
                        do { try await send(Word(text: "too late")) } catch {
                            thrown.change { $0 = "\(type(of: error))" }
                        }
                    }
                    ended.send()
                }
            case "cancel": return .cancel(id: "talk")
            default: return .none
            }
        }
        let store = try await bench.journal.open(machine, stream: "a")
        // The cancel is dispatched while the sent action is encoded, before the journal gets it.
        Word.whileEncodedLate.change { $0 = { _ = try? store.blocking.dispatch(Word(text: "cancel")) } }
        try await store.dispatch(Word(text: "start"))
        await ended.wait()
        Word.whileEncodedLate.change { $0 = nil }
        #expect(thrown.value == "CancellationError")
        #expect(store.state == ["start", "cancel"])
        #expect(try await bench.sql("SELECT status, delivered FROM effect_run", after: store) == ["cancelled|0"])
        #expect(try bench.sql("SELECT action FROM entry") == [#""start""#, #""cancel""#])
        try await bench.journal.close()
    }

    @Test func `a cancelled effect that throws CancellationError has not failed`() async throws {
        let bench = try Workbench()
        let started = Signal()
        let store = try await bench.openPlay { name in
            .run(name, id: name) {
                started.send()
                try await forever()
                return nil
            }
        }
        let dispatched = try await store.dispatch(.start("x"))
        await started.wait()
        try await store.dispatch(.cancel("x"))
        await dispatched.completion()
        #expect(dispatched.errors.isEmpty)
        #expect(try await bench.sql("SELECT status, error FROM effect_run", after: store) == ["cancelled|"])
        try await bench.journal.close()
    }
}

/// An action that calls a callback while it is encoded.
private struct Word: Codable, Sendable, Equatable {
    static let whileEncodedLate = Box<(@Sendable () -> Void)?>(nil)

    var text: String

    init(text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    func encode(to encoder: any Encoder) throws {
        if text == "too late" { Word.whileEncodedLate.value?() }
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// Runs tasks on a thread that they may block.
private final class OwnThread: TaskExecutor {
    private let queue = DispatchQueue(label: "test")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
