import Testing

@testable import JournalStore

@Suite struct `Actomaton: debugging` {
    struct Account: Codable, Sendable, Equatable {
        var balance = 0
        var history: [Int] = []
    }

    enum Change: Codable, Sendable, Equatable {
        case put(Int)
        case twice(Int)
        case steal
    }

    @Test(arguments: [
        (
            DebugFormat.simple,
            [
                "bank, step 1, dispatched: put", "bank, step 2, dispatched: twice",
                "bank, step 3, dispatched: steal (rejected: no)",
            ]
        ),
        (
            .all,
            [
                "bank, step 1, dispatched: .put(5)\n  state: Account(balance: 5, history: [5])",
                "bank, step 2, dispatched: .twice(1)\n  .next(.put(1))\n  .next(.put(1))\n  state: Account(balance: 7, history: [5, 1, 1])",
                "bank, step 3, dispatched: .steal (rejected: no)\n  state: Account(balance: 7, history: [5, 1, 1])",
            ]
        ),
        (
            .diff,
            [
                "bank, step 1, dispatched: .put(5)\n  balance: 0 → 5\n  + history[0]: 5",
                "bank, step 2, dispatched: .twice(1)\n  .next(.put(1))\n  .next(.put(1))\n  balance: 5 → 7\n  + history[1]: 1\n  + history[2]: 1",
                "bank, step 3, dispatched: .steal (rejected: no)\n  (state unchanged)",
            ]
        ),
    ])
    func `a debug observer prints each step in its format`(_ format: DebugFormat, _ expected: [String]) async throws {
        let printed = Box<[String]>([])
        let machine = Machine<Change, Account, Void>("account", initialState: Account()) { action, state, _ in
            switch action {
            case .put(let amount):
                state.balance += amount
                state.history.append(amount)
                return .none
            case .twice(let amount): return .next(.put(amount)) + .next(.put(amount))
            case .steal: return .reject("no")
            }
        }
        let journal = try Journal.inMemory()
        let debug = Observer<Change, Account>.debug("bank", format: format) { text in printed.change { $0.append(text) }
        }
        var store: Store<Change, Account>? = try await journal.open(machine, stream: "a", observers: [debug])
        for action in [Change.put(5), .twice(1), .steal] { try await store?.dispatch(action) }
        #expect(printed.value == expected)

        // Opening the store again prints none of the past steps.
        try await store?.close()
        store = try await journal.open(machine, stream: "a", observers: [debug])
        #expect(store?.state.balance == 7)
        #expect(printed.value == expected)
    }

    @Test func `a debug observer needs no name, and leaves nothing in the journal`() async throws {
        let printed = Box<[String]>([])
        let debug = Observer<Play, Score>.debug(format: .simple) { text in printed.change { $0.append(text) } }
        let bench = try Workbench()
        let store = try await bench.journal.open(play, stream: "a", environment: Stage(), observers: [debug])
        try await store.dispatch(.add(1))
        #expect(printed.value == ["step 1, dispatched: add"])
        #expect(try await bench.sql("SELECT count(*) FROM step_record", after: store) == ["0"])
        #expect(try bench.sql("SELECT count(*) FROM effect_run") == ["0"])
        #expect(try bench.sql("SELECT count(*) FROM entry") == ["1"])
        try await bench.journal.close()
    }
}
