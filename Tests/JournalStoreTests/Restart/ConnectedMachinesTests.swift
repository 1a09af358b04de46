import JournalTesting
import Testing

@testable import JournalStore

private struct Orders: Codable, Sendable, Equatable { var paid: [Int] = [] }
private struct Shipping: Codable, Sendable, Equatable { var shipped: [Int] = [] }
private enum Order: Codable, Sendable, Equatable { case pay(Int), nothing, refuse }
private enum Ship: Codable, Sendable, Equatable { case ship(Int) }

private let shipping = Machine<Ship, Shipping, Void>("shipping", initialState: Shipping()) { state, action in
    if case .ship(let number) = action { state.shipped.append(number) }
}

private let orders = Machine<Order, Orders, Void>("orders", initialState: Orders()) { action, state, _ in
    switch action {
    case .pay(let number): state.paid.append(number)
    case .nothing: break
    case .refuse: return .reject("no")
    }
    return .none
}
.connected(to: shipping, stream: "shipping") { step in
    if case .pay(let number) = step.action { .ship(number) } else { nil }
}

@Suite struct `Connected machines` {
    let deaths: Deaths

    init() throws { deaths = try Deaths() }

    private static let journal = "SELECT stream, step, action, origin, cause FROM journal WHERE stream = 'shipping'"

    @Test func `the messages of a sender become entries of the receiver, in order`() async throws {
        let journal = try deaths.open()
        let receiver = try await journal.open(shipping, stream: "shipping")
        let sender = try await journal.open(orders, stream: "orders")
        for number in 1...20 {
            try await sender.dispatch(.pay(number))
            if number % 3 == 0 { try await sender.dispatch(.nothing) }
            if number % 5 == 0 { try await sender.dispatch(.refuse) }
        }
        let state = try await receiver.dispatch(.ship(0)) { $0.shipped.count == 21 }
        #expect(state.shipped.filter { $0 > 0 } == Array(1...20))
        try await sender.flush()
        #expect(try deaths("SELECT status, count(*) FROM effect_run GROUP BY status") == ["completed|20"])
        #expect(
            try deaths(Self.journal + " AND origin = 'machine' LIMIT 2") == [
                #"shipping|1|{"ship":{"_0":1}}|machine|orders step 1"#,
                #"shipping|2|{"ship":{"_0":2}}|machine|orders step 2"#,
            ])
        #expect(try journal.reader.verify().isSound)
        try await journal.close()
    }

    @Test func `a receiver that is not open gets its messages at its next opening`() async throws {
        let journal = try deaths.open()
        let sender = try await journal.open(orders, stream: "orders")
        let dispatched = try await sender.dispatch(contentsOf: [.pay(1), .pay(2), .pay(3)])
        for one in dispatched { await one.completion() }
        #expect(try deaths("SELECT head_step, settled_step FROM stream WHERE name = 'shipping'") == ["3|0"])
        let receiver = try await journal.open(shipping, stream: "shipping")
        #expect(receiver.state.shipped == [1, 2, 3])
        #expect(receiver.recovery.unsettledSteps == 3)
        // While it is open it gets messages at once; after it is closed the journal keeps them again.
        try await sender.dispatch(.pay(4))
        _ = try await receiver.dispatch(.ship(0)) { $0.shipped.contains(4) }
        try await receiver.close()
        await (try sender.dispatch(.pay(5))).completion()
        let again = try await journal.open(shipping, stream: "shipping")
        #expect(Set(again.state.shipped) == [0, 1, 2, 3, 4, 5])
        try await journal.close()
    }

    @Test func `opening and closing the receiver loses and repeats no message`() async throws {
        let journal = try deaths.open()
        let sender = try await journal.open(orders, stream: "orders")
        async let comings: Void = {
            for _ in 0..<15 {
                let receiver = try await journal.open(shipping, stream: "shipping")
                _ = receiver.state
                try await receiver.close()
            }
        }()
        for number in 1...300 { try await sender.dispatch(.pay(number)) }
        try await comings
        await (try sender.dispatch(.pay(301))).completion()
        let receiver = try await journal.open(shipping, stream: "shipping")
        #expect(receiver.state.shipped == Array(1...301))
        try await journal.close()
    }

    @Test func `a delivered message is not delivered again, even if its record says it waits`() async throws {
        let journal = try deaths.open()
        let sender = try await journal.open(orders, stream: "orders")
        await (try sender.dispatch(.pay(1))).completion()
        try await sender.close()
        // As if the record of the delivery had been lost; it cannot be, because both are in one transaction.
        try Shell(deaths.path).change("UPDATE effect_run SET status = 'waiting', ended = NULL")
        let again = try await journal.open(orders, stream: "orders")
        #expect(again.recovery.resumed.count == 1)
        await (try again.dispatch(.pay(2))).completion()
        let receiver = try await journal.open(shipping, stream: "shipping")
        #expect(receiver.state.shipped == [1, 2])
        #expect(try deaths("SELECT DISTINCT status FROM effect_run") == ["completed"])
        try await journal.close()
    }

    @Test func `a message to a stream of another machine fails and is reported`() async throws {
        let journal = try deaths.open()
        try await (try await journal.openPlay("shipping")).close()
        let sender = try await journal.open(orders, stream: "orders")
        for isOpen in [false, true] {
            let other = isOpen ? try await journal.openPlay("shipping") : nil
            let dispatched = try await sender.dispatch(.pay(1))
            await dispatched.completion()
            #expect(dispatched.errors.count == 1)
            try await other?.close()
        }
        try await sender.flush()
        let rows = try deaths("SELECT status, error FROM effect_run")
        #expect(rows.count == 2)
        #expect(deaths.notices.value.map(\.kind) == [.messageFailed, .messageFailed])
        #expect(deaths.notices.value.allSatisfy { "\($0)".contains(Delivery.adviceForOtherMachine) })
        // A retry would fail in the same way.
        #expect(deaths.notices.value.allSatisfy { "\($0)".contains("dispatch the action of its step again") })
        #expect(deaths.notices.value.allSatisfy { !"\($0)".contains("journal-replay retry") })
        #expect(rows.allSatisfy { $0.hasPrefix("failed|") && $0.contains("belongs to the machine 'play'") })
        try await journal.close()
    }

    @Test func `names that only look the same are different streams`() async throws {
        let journal = try deaths.open()
        let names = ["e\u{301}", "\u{e9}"]
        let echo = Machine<Int, [Int], Void>("echo", initialState: [], update: { $0.append($1) })
        let sender = echo.connected(to: echo) { step in (names[step.action % 2], step.action) }
        let store = try await journal.open(sender, stream: "sender")
        let first = try await journal.open(echo, stream: names[0])
        let second = try await journal.open(echo, stream: names[1])
        for number in 0..<10 { try await store.dispatch(number) }
        _ = try await first.dispatch(100) { $0.count == 6 }
        #expect(first.state.filter { $0 < 100 } == [0, 2, 4, 6, 8])
        _ = try await second.dispatch(100) { $0.count == 6 }
        #expect(second.state.filter { $0 < 100 } == [1, 3, 5, 7, 9])
        try await first.close()
        await (try store.dispatch(10)).completion()
        try await second.dispatch(101)
        #expect(second.state.count == 7)
        try await journal.close()
    }

    @Test func `a message cannot be cancelled`() async throws {
        let journal = try deaths.open()
        let sender = try await journal.open(orders, stream: "orders")
        for number in 1...50 {
            let dispatched = try await sender.dispatch(.pay(number), cancelID: "all")
            if number % 2 == 0 { try await dispatched.cancel() }
            try await sender.cancel { _ in true }
        }
        try await sender.close { _ in true }
        let again = try await journal.open(orders, stream: "orders")
        await (try again.dispatch(.pay(51))).completion()
        let receiver = try await journal.open(shipping, stream: "shipping")
        #expect(receiver.state.shipped == Array(1...51))
        try await journal.close()
    }

    @Test func `a machine can be connected to itself, and two machines to each other`() async throws {
        let journal = try deaths.open()
        let echo = Machine<Int, [Int], Void>("echo", initialState: []) { state, action in state.append(action) }
        func connected(to stream: String) -> Machine<Int, [Int], Void> {
            echo.connected(to: echo) { step in step.action > 0 ? (stream, step.action - 1) : nil }
        }
        let alone = try await journal.open(connected(to: "alone"), stream: "alone")
        #expect(try await alone.dispatch(5) { $0.contains(0) } == [5, 4, 3, 2, 1, 0])
        let left = try await journal.open(connected(to: "right"), stream: "left")
        let right = try await journal.open(connected(to: "left"), stream: "right")
        #expect(try await left.dispatch(5) { $0.contains(1) } == [5, 3, 1])
        _ = try await right.dispatch(-1) { $0.contains(0) }
        #expect(right.state.filter { $0 >= 0 } == [4, 2, 0])
        try await journal.close()
    }
}
