public import JournalStore

/// An action of an account.
public enum Posting: Codable, Sendable, Equatable {
    /// Opens the account.
    case open(owner: String)
    /// Adds an amount, or subtracts it if it is negative.
    case pay(cents: Int, what: String)
    /// Closes the account: it takes no more payments.
    case close
}

/// An account.
public struct Account: Codable, Sendable, Equatable {
    /// Whether the account is open.
    public enum Status: Codable, Sendable, Equatable {
        /// Not opened yet.
        case none
        /// Open.
        case open(owner: String)
        /// Closed.
        case closed
    }

    /// One payment.
    public struct Payment: Codable, Sendable, Equatable {
        /// The amount; negative for money that was paid out.
        public var cents: Int
        /// The purpose.
        public var what: String
        /// A random number.
        public var number: UInt32
    }

    /// Whether the account is open.
    public var status = Status.none
    /// The balance in cents.
    public var balance = 0
    /// All payments, the oldest first.
    public var payments: [Payment] = []
}

/// The machine: only an open account takes payments, and each gets a random number, the same at each replay.
public let ledger = Machine("ledger", initialState: Account()) {
    (action: Posting, account: inout Account, _: Void, step: inout Step) in
    switch action {
    case .open(let owner):
        account.status = .open(owner: owner)
    case .pay(let cents, let what):
        guard case .open = account.status else { return .reject("the account is not open") }
        account.balance += cents
        account.payments.append(.init(cents: cents, what: what, number: .random(in: 0...999_999, using: &step)))
    case .close:
        account.status = .closed
    }
    return .none
}
