public import JournalStore

/// What can happen to an account.
public enum Posting: Codable, Sendable, Equatable {
    case open(owner: String)
    case pay(cents: Int, what: String)
    case close
}

/// An account.
public struct Account: Codable, Sendable, Equatable {
    /// Who may use it.
    public enum Status: Codable, Sendable, Equatable {
        case none
        case open(owner: String)
        case closed
    }

    /// One payment.
    public struct Payment: Codable, Sendable, Equatable {
        public var cents: Int
        public var what: String
        public var number: UInt32
    }

    public var status = Status.none
    public var balance = 0
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
