import Testing
import TortureKit

@testable import JournalStore

/// The row of a stream says which entry is the newest. The other stream has the newest entry of the journal, so that
/// the sidecar notices nothing.
@Suite struct `Law 11, the end of a stream` {
    let folder: TemporaryFolder
    let path: String
    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    /// Three steps, of which the second had an effect.
    ///
    /// - Parameter settled: how many of them are settled: 2 or 3.
    private func make(settled: Int = 3) async throws {
        let journal = try openJournal(path)
        let store = try await open(journal)
        try await store.dispatch(.add(1))
        try await store.dispatch(.start("x"))
        if settled == 3 { try await store.dispatch(.add(10)) }
        await store.join()
        try await store.close()
        if settled == 2 {
            let stream = try await journal.openStream("a", machine: "play")
            try await stream.append(#"{"add":{"_0":10}}"#)
            try await stream.close()
        }
        try await journal.openStream("b", machine: "other").append("1")
        try await journal.close()
    }

    private let stage = Stage { name in .run(name, id: name) { nil } }

    private func open(_ journal: Journal) async throws -> Store<Play, Score> {
        try await journal.openPlay(effects: stage.effects)
    }

    private func replayer() throws -> Replayer<Play, Score> {
        try Replayer(play, environment: stage, reader: JournalReader(path: path), stream: "a")
    }

    /// The error of an opening; nil if it succeeds.
    private func opening() async throws -> JournalError? {
        let journal = try openJournal(path)
        let error = await journalError { try await open(journal) }
        try await journal.close()
        return error
    }

    private func expectDamage(_ error: JournalError?, at step: Int, _ message: String) {
        #expect(error?.code == .corrupt, "\(error.map(String.init(describing:)) ?? "no error")")
        #expect(error?.file == path)
        #expect(error?.stream == "a")
        #expect(error?.step == step)
        #expect(error?.message.hasPrefix(message) == true)
        #expect(error?.advice == JournalError.adviceForDamage)
    }

    @Test(arguments: [2, 3])
    func `an opening refuses a stream whose newest entry is missing`(_ settled: Int) async throws {
        try await make(settled: settled)
        try Shell(path)("DELETE FROM entry WHERE step = 3")
        expectDamage(try await opening(), at: 3, "The entry is missing")
        #expect(try !JournalReader(path: path).verify().isSound)
    }

    @Test(arguments: [0, 2])
    func `an opening refuses a stream with an entry after the newest one of its row`(_ head: Int) async throws {
        try await make()
        try Shell(path).change(
            """
            UPDATE stream SET head_step = \(head), settled_step = \(head), head_digest = coalesce(
                (SELECT digest FROM entry WHERE entry.stream = stream.id AND step = \(head)), head_digest)
            WHERE name = 'a'
            """)
        expectDamage(try await opening(), at: head, "An entry follows this step")
    }

    @Test(arguments: [2, 3])
    func `an opening refuses a stream whose row has the digest of another history`(_ settled: Int) async throws {
        try await make(settled: settled)
        try Shell(path).change("UPDATE stream SET head_digest = zeroblob(16) WHERE name = 'a'")
        expectDamage(try await opening(), at: 3, "The newest entry is not the one")
    }

    @Test func `an opening refuses an empty stream whose row has the digest of another one`() async throws {
        let journal = try openJournal(path)
        try await journal.openPlay("a").close()
        try await journal.openStream("b", machine: "other").append("1")
        try await journal.close()
        #expect(try await opening() == nil)
        try Shell(path).change("UPDATE stream SET head_digest = zeroblob(16) WHERE name = 'a'")
        expectDamage(try await opening(), at: 0, "The newest entry is not the one")
    }

    @Test func `an opening does not settle a step again whose outcome is recorded`() async throws {
        try await make()
        try Shell(path).change("UPDATE stream SET settled_step = 1 WHERE name = 'a'")
        let runs = try Shell(path, readOnly: true)("SELECT status, attempts, started FROM effect_run")
        expectDamage(try await opening(), at: 2, "The outcome of this step is recorded")
        #expect(try Shell(path, readOnly: true)("SELECT status, attempts, started FROM effect_run") == runs)
    }

    @Test func `a replay does not take missing entries for the end of the stream`() async throws {
        try await make()
        try Shell(path)("DELETE FROM snapshot; DELETE FROM entry WHERE step = 3")
        let replayer = try self.replayer()
        expectDamage(await journalError { try replayer.state(at: 3) }, at: 3, "The entry is missing")
        expectDamage(await journalError { try replayer.step(3) }, at: 3, "The entry is missing")
        expectDamage(await journalError { try replayer.steps(1...3) }, at: 3, "The entry is missing")
        expectDamage(await journalError { try replayer.verify() }, at: 3, "The entry is missing")
        #expect(try replayer.state(at: 2).sum == 1)
        #expect(await journalError { try replayer.state(at: 4) }?.code == .noSuchStep)
    }

    @Test func `a replay does not begin with a snapshot of the newest step if the row has another digest`()
        async throws
    {
        try await make()
        let replayer = try self.replayer()
        #expect(try replayer.state(at: 3).sum == 11)
        try Shell(path).change("UPDATE stream SET head_digest = zeroblob(16) WHERE name = 'a'")
        let other = try self.replayer()
        #expect(await journalError { _ = try other.state(at: 3) }?.code == .corrupt)
    }
}
