import JournalStore

struct Order: Codable, Sendable, Equatable {
    enum Status: String, Codable {
        case new, placed, paying, paid
        /// An operator has cancelled the payment before the bank answered: nobody knows whether it has charged.
        case unclear
    }

    var status = Status.new
    var item = ""
    var cents = 0
    var receipt: String?
    /// Why the last payment was declined.
    var problem: String?
}

enum OrderAction: Codable, Sendable, Equatable {
    case place(item: String, cents: Int)
    case pay
    /// The bank has charged the card.
    case paid(receipt: String)
    /// The bank refuses for good.
    case declined(String)
    /// An operator has cancelled the payment.
    case cancelled
}

/// Charges cards. It charges once for a key, however often it is called with it.
struct Payments: Sendable {
    var charge: @Sendable (_ cents: Int, _ key: String) async throws -> String
}

/// The bank says no: a retry is of no use.
struct Declined: Error {}

let order = Machine<OrderAction, Order, Payments>("order", initialState: Order()) { action, order, payments in
    switch (action, order.status) {
    case (.place(let item, let cents), .new):
        (order.status, order.item, order.cents) = (.placed, item, cents)
        return .none
    case (.pay, .placed):
        (order.status, order.problem) = (.paying, nil)
        // Until the bank answers: before that nobody knows whether it has charged, and a second payment could be one
        // too many.
        let untilAnswered = RetryPolicy.exponential(maxAttempts: .max).except(Declined.self)
        return .run("charge", id: "payment", retry: untilAnswered) { [cents = order.cents] context in
            .paid(receipt: try await payments.charge(cents, context.idempotencyKey))
        }
        .onFailure { .declined("\(type(of: $0))") }
        // Without it, the order would be paying for ever.
        .onCancel(.cancelled)
    // Also of a payment that was declined, that an operator has retried, and then cancelled.
    case (.cancelled, .paying), (.cancelled, .unclear), (.cancelled, .placed):
        // It cannot be paid again. When an operator retries the effect, the bank is asked with the same key.
        order.status = .unclear
        return .none
    // Also of a payment that was declined, and that an operator has retried.
    case (.paid(let receipt), .paying), (.paid(let receipt), .unclear), (.paid(let receipt), .placed):
        (order.status, order.receipt) = (.paid, receipt)
        return .none
    case (.declined(let problem), .paying), (.declined(let problem), .unclear):
        (order.status, order.problem) = (.placed, problem)
        return .none
    default:
        return .reject("The order is \(order.status.rawValue).")
    }
}
