public import JournalStore

/// What can happen to an account.
public enum Posting: Codable, Sendable, Equatable {
    /// Somebody opens it.
    case open(owner: String)
    /// Money comes in, or goes out where it is negative.
    case pay(cents: Int, what: String)
    /// Nothing goes any more.
    case close
}

/// An account.
public struct Account: Codable, Sendable, Equatable {
    /// Who may use it.
    public enum Status: Codable, Sendable, Equatable {
        /// Nobody yet.
        case none
        /// Its owner.
        case open(owner: String)
        /// Nobody any more.
        case closed
    }

    /// One payment.
    public struct Payment: Codable, Sendable, Equatable {
        /// How much came in.
        public var cents: Int
        /// What for.
        public var what: String
        /// Drawn by lot.
        public var number: UInt32
    }

    /// Who may use it.
    public var status = Status.none
    /// What is there, in cents.
    public var balance = 0
    /// What came in and went out, the oldest first.
    public var payments: [Payment] = []
}

/// The rule: a closed account takes nothing, and each payment gets a number by chance, the same at each replay.
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
