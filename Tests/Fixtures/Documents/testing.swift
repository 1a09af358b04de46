// What the code in docs/testing.md presupposes. It is only type-checked.

import JournalStore
import JournalTesting
import Testing

struct Cart: Codable, Sendable, Equatable {
    var items: [String] = []
    var receipt: String?
}

enum CartAction: Codable, Sendable, Equatable { case add(String), pay, paid(String) }

struct Shop: Sendable { var charge: @Sendable (_ items: [String], _ key: String) async throws -> String }

let shop = Shop { items, _ in "\(items.count) items" }

let cart = Machine<CartAction, Cart, Shop>("cart", initialState: Cart()) { action, state, shop in
    switch action {
    case .add(let item):
        state.items.append(item)
        return .none
    case .pay:
        return .run("charge", id: "payment") { [items = state.items] context in
            .paid(try await shop.charge(items, context.idempotencyKey))
        }
    case .paid(let receipt):
        state.receipt = receipt
        return .none
    }
}

enum UploadAction: Codable, Sendable, Equatable { case upload }

@MainActor let store: TestStore<UploadAction, Int> = { fatalError("Only type-checked.") }()

enum ReminderAction: Codable, Sendable { case remind, due }

let reminders = Machine<ReminderAction, Int, Void>("reminders", initialState: 0) { action, count, _ in
    if case .remind = action { return .after(.seconds(60), .due) }
    count += 1
    return .none
}
