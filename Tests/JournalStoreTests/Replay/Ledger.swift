import JournalStore

/// A machine with something of everything that a replay has to show: nested values, enums, sets, chance, cascades, refusals, effects.
enum Posting: Codable, Sendable, Equatable {
    case add(Int)
    case label(String)
    case open(limit: Int)
    case close
    case both(Int, Int)
    case draw
    case ask
    case answer(String)
}

struct Account: Codable, Sendable, Equatable {
    enum Status: Codable, Sendable, Equatable {
        case new
        case open(limit: Int)
        case closed
    }

    struct Line: Codable, Sendable, Equatable {
        var amount: Int
        var number: Int
    }

    var balance = 0
    var lines: [Line] = []
    var labels: Set<String> = []
    var status = Status.new
    var luck: [UInt64] = []
    var answers: [String] = []
}

let account = Machine("account", initialState: Account(), reduce: postings)

@Sendable func postings(
    _ action: Posting, _ state: inout Account, _: Void, _ step: inout Step
) -> Effect<Posting> {
    switch action {
    case .add(let amount):
        state.balance += amount
        state.lines.append(.init(amount: amount, number: state.lines.count + 1))
    case .label(let text): state.labels.insert(text)
    case .open(let limit): state.status = .open(limit: limit)
    case .close:
        if state.status == .new { return .reject("not open") }
        state.status = .closed
    case .both(let first, let second): return .next(.add(first)) + .next(.add(second))
    case .draw: state.luck.append(UInt64.random(in: 0...1_000, using: &step))
    case .ask: return .run("ask", id: "question") { .answer("yes") } + .ephemeral("told") { _ in }
    case .answer(let text): state.answers.append(text)
    }
    return .none
}

/// The history that most tests go through, and the states it leads to.
let postingsOfAYear: [Posting] = [
    .add(10), .label("a"), .close, .open(limit: 5), .both(1, 2), .draw, .add(-20), .label("b"), .draw, .close,
]

extension AtDesk {
    /// A journal with that history, many times over, and the states after each step as the store showed them.
    func liveAYear(
        times: Int = 1, _ options: (inout Journal.Options) -> Void = { $0.snapshots = .never }
    ) async throws -> [Account] {
        let journal = try openJournal(path, options)
        let store = try await journal.open(account, stream: "a")
        var states = [Account()]
        for _ in 0..<times {
            for action in postingsOfAYear {
                try await store.dispatch(action)
                states.append(store.state)
            }
        }
        try await store.dispatch(.ask).completion
        states.append(contentsOf: [states[states.count - 1], store.state])
        try await journal.close()
        return states
    }
}
