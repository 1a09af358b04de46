package import JournalStore

/// A machine with everything that a replay can show: nested values, enums, sets, random values, cascades, rejections,
/// effects.
package enum Posting: Codable, Sendable, Equatable {
    case add(Int)
    case label(String)
    case open(limit: Int)
    case close
    case both(Int, Int)
    case draw
    case ask
    case answer(String)
}

package struct Account: Codable, Sendable, Equatable {
    package enum Status: Codable, Sendable, Equatable {
        case new
        case open(limit: Int)
        case closed
    }

    package struct Line: Codable, Sendable, Equatable {
        package var amount: Int
        package var number: Int
    }

    package var balance = 0
    package var lines: [Line] = []
    package var labels: Set<String> = []
    package var status = Status.new
    package var luck: [UInt64] = []
    package var answers: [String] = []

    package init() {}
}

package let account = Machine("account", initialState: Account(), reduce: postings)

@Sendable package func postings(
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

/// Not deterministic: depends on the iteration order of a set, which differs in each process.
package let shuffled = Machine<String, [String], Void>("shuffled", initialState: []) { state, word in
    state = Array(Set(state + [word]))
}

/// Has a set as its state, whose text is another one in each process. From version 2 on it gathers twice as many
/// numbers.
package func gathered(_ version: Int) -> Machine<Int, Set<Int>, Void> {
    Machine<Int, Set<Int>, Void>("gathered", version: version, initialState: []) { numbers, number in
        numbers.insert(number)
        if version > 1 { numbers.insert(-number) }
    }
    .unchanged(since: 1)
}

/// Crashes the process that reduces a negative number.
package let fragile = Machine<Int, Int, Void>("fragile", initialState: 0) { sum, number in
    precondition(number >= 0, "The fragile machine got a negative number.")
    sum += number
}
