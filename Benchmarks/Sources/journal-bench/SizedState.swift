import JournalStore

/// A state with many values, of which each step changes one.
protocol SizedState: Codable, Sendable {
    init(count: Int)
    mutating func change(_ number: Int)
    /// The sum of all changes.
    var sum: Int { get }
}

/// A dictionary of structs.
struct DictionaryState: SizedState {
    struct Item: Codable, Sendable {
        var name: String
        var count = 0
    }

    private var items: [Int: Item] = [:]
    private(set) var sum = 0

    init(count: Int) {
        for number in 0..<count { items[number] = Item(name: "item \(number)") }
    }

    mutating func change(_ number: Int) {
        items[number % items.count]?.count &+= number
        sum &+= number
    }
}

/// An array of integers.
struct ArrayState: SizedState {
    private var items: [Int]
    private(set) var sum = 0

    init(count: Int) {
        items = Array(repeating: 0, count: count)
    }

    mutating func change(_ number: Int) {
        items[number % items.count] &+= number
        sum &+= number
    }
}

enum SizedAction: Codable, Sendable {
    case change(Int)
    case refuse
}

/// A store of such a state, without snapshots.
struct SizedStore<State: SizedState>: Sendable {
    let machine: Machine<SizedAction, State, Void>
    private let journal: Journal
    private let store: Store<SizedAction, State>

    /// - Parameter path: a new journal.
    @concurrent
    init(_ path: String, _ type: State.Type, count: Int, isObserved: Bool = false) async throws {
        machine = Self.machine(count: count)
        var options = Journal.Options()
        options.durability = .normal
        options.snapshots = .never
        journal = try Journal(path: path, options: options)
        store = try await journal.open(
            machine, stream: Library.streamName,
            observers: isObserved ? [Observer { step in blackHole(step.after.sum - step.before.sum) }] : [])
        // The first step copies the initial state, which belongs to the machine.
        try await dispatch(1_000)
    }

    static func machine(count: Int) -> Machine<SizedAction, State, Void> {
        Machine("sized", initialState: State(count: count)) { action, state, _ in
            guard case .change(let number) = action else { return .reject("no") }
            state.change(number)
            return .none
        }
    }

    /// - Parameters:
    ///   - interval: each of so many actions is rejected.
    ///   - readInterval: after each of so many actions the state is read, and kept until the next one is.
    @concurrent
    func dispatch(_ count: Int, rejectingEvery interval: Int? = nil, readingEvery readInterval: Int? = nil) async throws
    {
        var kept: State?
        for number in 1...count {
            let isRefused = interval.map { number.isMultiple(of: $0) } ?? false
            try await store.dispatch(isRefused ? .refuse : .change(number))
            if let readInterval, number.isMultiple(of: readInterval) { kept = store.state }
        }
        blackHole(kept?.sum ?? 0)
    }

    /// - Parameter sum: the expected sum.
    @concurrent
    func close(expecting sum: Int) async throws {
        let found = store.state.sum
        guard found == sum else { throw BenchError(message: "The sum is \(found) instead of \(sum).") }
        try await store.close()
        try await journal.close()
    }
}

/// Keeps the optimizer from removing a computation.
@inline(never)
func blackHole(_ value: Int) {}
