import JournalTesting
import Testing

@testable import JournalStore

private enum Ship: Codable, Sendable, Equatable { case ship(Int) }
/// What the sender takes for the receiver's actions.
private enum Wish: Codable, Sendable, Equatable { case ship(Int), wrap(Int) }

private func shipping(_ version: Int = 1) -> Machine<Ship, [Int], Void> {
    Machine<Ship, [Int], Void>("shipping", version: version, initialState: []) { shipped, action in
        if case .ship(let number) = action { shipped.append(number) }
    }
}

private let wishes = Machine<Wish, [Int], Void>("shipping", initialState: []) { shipped, action in
    switch action {
    case .ship(let number): shipped.append(number)
    case .wrap(let number): shipped.append(-number)
    }
}

/// Sends each of its actions; those below zero are to be wrapped.
private let orders = Machine<Int, [Int], Void>("orders", initialState: [], update: { $0.append($1) })
    .connected(to: wishes, stream: "shipping") { step in step.action > 0 ? .ship(step.action) : .wrap(-step.action) }

/// A message that its receiver cannot decode fails, whether the receiver's stream is open or not.
@Suite struct `Messages that cannot be decoded` {
    let deaths: Deaths

    init() throws { deaths = try Deaths() }

    /// How this process has the code of the receiver.
    enum Receiver: String, CaseIterable, CustomTestStringConvertible {
        case isOpen, wasClosed, isHosted

        var testDescription: String { rawValue }
    }

    @Test(arguments: Receiver.allCases)
    func `a message that the receiver cannot decode fails and blocks nothing`(_ how: Receiver) async throws {
        let journal = try deaths.open()
        let host = how == .isHosted ? try journal.host(shipping()) : nil
        let receiver = how == .isHosted ? nil : try await journal.open(shipping(), stream: "shipping")
        if how == .wasClosed { try await receiver?.close() }
        let sender = try await journal.open(orders, stream: "orders")
        let sent = try await sender.dispatch(contentsOf: [-1, 2])
        for one in sent { await one.completion() }
        #expect(sent.map(\.errors.count) == [1, 0])

        // The sender knows what has become of it.
        try await sender.flush()
        let runs = try deaths("SELECT step, status, error FROM effect_run ORDER BY step")
        #expect(runs.count == 2 && runs[0].hasPrefix("1|failed|") && runs[1].hasPrefix("2|completed|"))
        #expect(runs[0].contains("cannot be decoded"))
        // If all this takes ten seconds, messages to the closed stream wait too long.
        let notices = deaths.notices.value.filter { $0.kind != .messagesWaiting }
        #expect(notices.map(\.kind) == [.messageFailed])
        let error = try #require(notices.first?.error)
        #expect(error.code == .notDecodable && error.stream == "shipping")
        #expect(error.message.hasPrefix("The message of step 1 of the stream 'orders' could not be delivered. "))
        #expect(error.advice.contains("journal-replay retry") && error.advice.contains("1.0 --stream=orders"))

        // The receiver has got the other one only.
        #expect(try deaths("SELECT step, action FROM journal WHERE stream = 'shipping'") == [#"1|{"ship":{"_0":2}}"#])
        if how == .isOpen { try await receiver?.close() }
        await host?.close()
        let opened = try await journal.open(shipping(), stream: "shipping")
        #expect(opened.state == [2])
        try await journal.close()
    }

    @Test func `a message that cannot be encoded is a failed effect, also when the codec can encode it again`()
        async throws
    {
        let isBroken = Box(true)
        let receiver = changed(wishes) { $0.codec = FailingCodec { isBroken.value } }
        let orders = Machine<Int, [Int], Void>("orders", initialState: [], update: { $0.append($1) })
            .connected(to: receiver, stream: "shipping") { .ship($0.action) }
        let journal = try deaths.open()
        let sender = try await journal.open(orders, stream: "orders")
        let sent = try await sender.dispatch(1)
        await sent.completion()
        try await sender.flush()
        #expect(sent.errors.count == 1)
        let runs = try deaths("SELECT described IS NOT NULL, status, error FROM effect_run")
        #expect(runs.count == 1 && runs[0].hasPrefix("1|failed|It cannot be encoded. The message 'shipping'"))
        #expect(deaths.notices.value.map(\.kind) == [.messageFailed])
        #expect(deaths.notices.value.first?.error.message.contains("It is not sent") == true)
        isBroken.change { $0 = false }
        #expect(try sender.replayer().verify().isFaithful)
        try await sender.close()
        let again = try await journal.open(orders, stream: "orders")
        await (try again.dispatch(2)).completion()
        try await journal.close()
        #expect(try deaths("SELECT action FROM journal WHERE stream = 'shipping'") == [#"{"ship":{"_0":2}}"#])
    }

    @Test func `a failed message is sent again by a retry, when the receiver can decode it`() async throws {
        let journal = try deaths.open()
        try await (try await journal.open(shipping(), stream: "shipping")).close()
        let sender = try await journal.open(orders, stream: "orders")
        await (try sender.dispatch(-1)).completion()
        try await sender.flush()
        #expect(try deaths("SELECT status FROM effect_run") == ["failed"])

        let receiver = try await journal.open(wishes, stream: "shipping")
        try await sender.retry(RunKey(step: 1))
        _ = try await receiver.dispatch(.ship(7)) { $0.contains(-1) }
        try await sender.flush()
        #expect(try deaths("SELECT status FROM effect_run") == ["completed"])
        try await receiver.close()
        // That code counts from now on, also while the stream is closed.
        await (try sender.dispatch(-2)).completion()
        let again = try await journal.open(wishes, stream: "shipping")
        #expect(again.state.filter { $0 < 0 } == [-1, -2])
        try await journal.close()
    }

    /// Sends its actions to the receiver.
    private func linked(to receiver: Machine<Ship, [Int], Void>) -> Machine<Int, [Int], Void> {
        Machine<Int, [Int], Void>("orders", initialState: [], update: { $0.append($1) })
            .connected(to: receiver, stream: "shipping") { step in .ship(step.action) }
    }

    @Test func `messages that are retried while the sender is closed are sent in the order of the retries`()
        async throws
    {
        let journal = try deaths.open()
        var sender = try await journal.open(linked(to: shipping()), stream: "orders")
        // Nothing can be appended to the receiver: the messages fail.
        try await journal.refuse("INSERT ON entry WHEN new.origin = 3")
        for one in try await sender.dispatch(contentsOf: [1, 2, 3]) { await one.completion() }
        try await journal.refuseNothing()
        try await sender.close()
        for step in [2, 3, 1] { _ = try await journal.retry(RunKey(step: step), in: "orders") }
        sender = try await journal.open(linked(to: shipping()), stream: "orders")
        await sender.join()
        #expect(try await journal.open(shipping(), stream: "shipping").state == [2, 3, 1])
        try await journal.close()
    }

    /// The value that the link was made with may be a plain one, without the upcasters of the receiver.
    @Test func `without a host or an open stream of the receiver, a message is delivered and the opening decides`()
        async throws
    {
        var journal = try deaths.open()
        var sender = try await journal.open(linked(to: shipping()), stream: "orders")
        // Nothing can be appended to the receiver: the message of version 1 fails, and can be retried.
        try await journal.refuse("INSERT ON entry WHEN new.origin = 3")
        await (try sender.dispatch(1)).completion()
        try await journal.refuseNothing()
        try await journal.close()

        journal = try deaths.open()
        sender = try await journal.open(linked(to: shipping(2)), stream: "orders")
        try await sender.retry(RunKey(step: 1))
        await sender.join()
        try await sender.flush()
        #expect(try deaths("SELECT status FROM effect_run") == ["completed"])
        let error = await journalError { try await journal.open(shipping(2), stream: "shipping") }
        #expect(error?.code == .noUpcaster && error?.step == 1)
        let receiver = try await journal.open(shipping(2).unchanged(since: 1), stream: "shipping")
        #expect(receiver.state == [1])
        try await journal.close()
    }
}
