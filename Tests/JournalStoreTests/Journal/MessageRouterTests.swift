import JournalTesting
import Testing

@testable import JournalStore

/// A message that comes while a store is opened or closed waits until the last of these has ended.
@Suite struct `Routing messages` {
    private let delivered = Box<[String]>([])
    private let arrived = Signal()

    private func delivery(_ outcome: String, text: String = #"{"draw":{}}"#) -> Delivery {
        let message = Message(stream: "a", machine: "play", version: 1, text: text)
        let record = EffectRun(
            stream: StreamID(rawValue: 9), step: 1, ordinal: 0, rootStep: 1, name: "message", status: .completed)
        return Delivery(message: message, from: StreamID(rawValue: 9), key: record.key, record: record) {
            [delivered, arrived] result in
            delivered.change { $0.append("\(outcome) \(result)") }
            arrived.send()
        }
    }

    /// A message that comes now waits until the store is open.
    private func messageWaits(in journal: Journal, for store: Store<Play, Score>) async throws {
        journal.router.deliver(delivery("early"))
        // What the writer was to deliver is done by now.
        _ = try await journal.commit(Batch())
        #expect(delivered.value == [])
        journal.router.opened("a", store.engine)
        await arrived.wait()
        journal.router.closes("a")
        journal.router.closed("a")
    }

    @Test func `an opening that began while a store was open still counts when that store has closed`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay()
        journal.router.opens("a")
        journal.router.closes("a")
        journal.router.closed("a")
        try await messageWaits(in: journal, for: store)
    }

    @Test func `an opening that fails while a store is open does not end the closing of that store`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay("b")
        journal.router.opens("a")
        journal.router.opens("a")
        journal.router.opened("a", store.engine)
        journal.router.closes("a")
        journal.router.closed("a")
        try await messageWaits(in: journal, for: store)
    }

    @Test func `a message waits for an opening that begins while it is decoded`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay("b")
        // It would wait for ever if a lock of the router were held.
        let codec = ObservedCodec { [router = journal.router] _ in router.opens("a") }
        journal.messageDecoders.learn(changed(play) { $0.codec = codec })
        try await messageWaits(in: journal, for: store)
        try await store.close()
    }

    @Test func `a message is decoded by the highest version of its machine, whichever was opened last`() async throws {
        let journal = try Journal.inMemory()
        let newer = Machine<Play, Score, Stage>(play.name, version: 2, initialState: Score()) { _, _, _ in .none }
        journal.messageDecoders.learn(newer.unchanged(since: 1))
        journal.messageDecoders.learn(play)
        for version in 1...3 {
            let message = Message(
                stream: "a", machine: play.name, version: version, text: try JSONCodec().encode(Play.add(1)))
            let error = await journalError { try journal.messageDecoders.check(message, in: nil) }
            #expect(error?.code == (version == 3 ? .newerMachine : nil))
        }
    }

    @Test func `a message that waited for an opening is decoded before it is appended, if the opening fails`()
        async throws
    {
        let journal = try Journal.inMemory()
        // So the journal knows the machine.
        let store = try await journal.openPlay("b")
        journal.router.opens("a")
        journal.router.deliver(delivery("late", text: "garbage"))
        #expect(delivered.value == [])
        journal.router.closed("a")
        await arrived.wait()
        #expect(delivered.value.count == 1 && delivered.value.first?.hasPrefix("late failed(") == true)
        #expect(try journal.reader.streams().map(\.name) == ["b"])
        try await store.close()
    }
}
