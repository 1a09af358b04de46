import JournalStore

/// The items in a cart, and the receipt if it is paid.
struct Cart: Codable, Sendable, Equatable {
    var items: [String: Int] = [:]
    var receipt: String?
}

enum CartAction: Codable, Sendable, Equatable {
    case add(count: Int, item: String)
    case pay
    case paid(receipt: String)
}

/// The service that charges the customer.
struct Bank: Sendable {
    var charge: @Sendable (EffectContext) async throws -> String
}

let cart = Machine<CartAction, Cart, Bank>("cart", initialState: Cart()) { action, state, bank in
    switch action {
    case .add(let count, let item):
        state.items[item, default: 0] += count
        return .none
    case .pay:
        return .run("charge", id: "payment") { context in
            .paid(receipt: try await bank.charge(context))
        }
    case .paid(let receipt):
        state.receipt = receipt
        return .none
    }
}
