import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

/// No shell can pass U+0000 to a program, and SQLite's text functions end a text there.
@Suite struct `Names with the character U+0000`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    @Test(arguments: [("a\0b", "m"), ("\0", "m"), ("a", "m\0")])
    func `a new stream with it in a name is refused`(stream: String, machine: String) async throws {
        let journal = try openJournal(path, clock)
        let error = await journalError { try await journal.openStream(stream, machine: machine) }
        #expect(error?.code == .badArgument)
        #expect(error?.message.hasSuffix("has the character U+0000.") == true)
        #expect(error?.description.utf8.contains(0) == false)
        #expect(try journal.reader.streams().isEmpty)
        // Others that are opened in the same transaction are not affected.
        async let refused = journalError { try await journal.openStream(stream, machine: machine) }
        async let opened = journal.openStream("fine", machine: "m")
        #expect(await refused?.code == .badArgument)
        try await opened.close()
        try await journal.close()
    }

    @Test(arguments: ["", "to\0"]) func `a message to such a stream fails`(_ name: String) async throws {
        let notices = Box<[Notice]>([])
        let journal = try openJournal(path) { options in
            options.report = { notice in notices.change { $0.append(notice) } }
        }
        let sender = Machine<Play, Score, Void>("sender", initialState: Score()) { _, _, _ in .none }
            .connected(to: Machine<Play, Score, Void>("receiver", initialState: Score()) { _, _, _ in .none }) { step in
                (name, step.action)
            }
        let store = try await journal.open(sender, stream: "from")
        let dispatched = try await store.dispatch(.add(1))
        await dispatched.completion()
        #expect(dispatched.errors.count == 1)
        #expect(notices.value.map(\.kind) == [.messageFailed])
        #expect(try journal.reader.streams().map(\.name) == ["from"])
        try await journal.close()
    }

    @Test func `a new dispatch ID with it is refused, and one that is in the journal is found`() async throws {
        var journal = try openJournal(path, clock)
        var store = try await journal.openPlay()
        try await store.dispatch(.add(1), id: "one")
        let error = await journalError { try await store.dispatch(.add(1), id: "one\0") }
        #expect(error?.code == .badArgument)
        #expect(error?.stream == "a")
        #expect(store.state.sum == 1)
        try await journal.close()
        try Shell(path).change("UPDATE dispatch_id SET id = 'one' || char(0)")
        journal = try openJournal(path, clock)
        store = try await journal.openPlay()
        #expect(try await store.dispatch(.add(1), id: "one\0").outcome == .repeated)
        #expect(store.state.sum == 1)
        try await journal.close()
    }

    @Test func `a host finds one that is in the journal, too`() async throws {
        var journal = try openJournal(path, clock)
        try await journal.openPlay().dispatch(.add(1), id: "one")
        try await journal.close()
        try Shell(path).change("UPDATE dispatch_id SET id = 'one' || char(0)")
        journal = try openJournal(path, clock)
        let host = try host(journal)
        #expect(try await host.dispatch(.add(1), to: "a", id: "one\0").outcome == .repeated)
        #expect(await journalError { try await host.dispatch(.add(1), to: "a", id: "two\0") }?.code == .badArgument)
        #expect(await journalError { try await host.dispatch(.add(1), to: "b", id: "two\0") }?.code == .badArgument)
        #expect(try journal.reader.streams().map(\.name) == ["a"])
        try await journal.close()
    }

    @Test func `a stream that has it in its name is opened, verified, exported and imported as any other`() async throws
    {
        let name = "a\0b"
        var journal = try openJournal(path, clock)
        try await journal.writer.exclusively { state throws(JournalError) in
            let seed = state.options.streamSeed()
            try state.transaction(while: "making a stream") { database, _ throws(DatabaseError) in
                try database.insertStream(
                    name: name, machine: "m", created: Timestamp(microseconds: 1), seed: seed,
                    genesis: .genesis(name: name, machine: "m", seed: seed))
            }
        }
        try await journal.openStream(name, machine: "m").append("1")
        #expect(try journal.reader.entries(in: name).map(\.action) == ["1"])
        try await journal.close()
        let (text, copy) = (folder.path("a.jsonl"), folder.path("copy.db"))
        try JournalReader(path: path).export(to: text)
        try await Journal.importing(text, to: copy)
        for path in [path, copy] { #expect(try JournalReader(path: path).verify().isSound) }
        journal = try openJournal(copy, clock)
        #expect(try await journal.openStream(name, machine: "m").append("2").step == 2)
        try await journal.close()
    }
}

/// Two texts that `==` finds equal.
@Suite struct `Names that differ only in their bytes`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    private func machine(_ name: String) -> Machine<Play, Score, Void> {
        Machine(name, initialState: Score()) { play, score, _ in
            if case .add(let number) = play { score.sum += number }
            return .none
        }
    }

    @Test func `are those of two machines`() async throws {
        let journal = try openJournal(path, clock)
        let (one, other) = (machine("caf\u{e9}"), machine("cafe\u{301}"))
        let host = try journal.host(one, environment: (), clock: clock)
        try await host.dispatch(.add(1), to: "a")
        #expect(await journalError { try await journal.open(other, stream: "a", clock: clock) }?.code == .otherMachine)
        let otherHost = try journal.host(other, environment: (), clock: clock)
        #expect(await journalError { try await otherHost.dispatch(.add(1), to: "a") }?.code == .otherMachine)
        try await otherHost.dispatch(.add(1), to: "b")
        let replay = await journalError { try Replayer(other, reader: journal.reader, stream: "a") }
        #expect(replay?.code == .otherMachine)
        try await journal.close()
    }
}
