import JournalStore
import Testing

@Suite struct `Actomaton: case paths` {
    private enum Item: Codable, Sendable, Equatable {
        case rename(String)
        case remove
    }

    private enum List: Codable, Sendable, Equatable {
        case item(Item)
        case clear
    }

    private enum App: Codable, Sendable, Equatable {
        case list(List)
        case title(String)
    }

    /// Appends each name, and adds "again" to the cascade once.
    private static let names = Reducer<String, [String], Void> { name, state, _ in
        state.append(name)
        return name == "again" ? .none : .next("again")
    }

    private static let paths: [(name: String, path: CasePath<App, String>)] = [
        (
            "by two functions",
            CasePath(
                embed: { .list(.item(.rename($0))) },
                extract: { action in
                    guard case .list(.item(.rename(let name))) = action else { return nil }
                    return name
                })
        ),
        (
            "by the cases alone",
            CasePath(App.list).appending(path: CasePath(List.item)).appending(path: CasePath(Item.rename))
        ),
        ("by the operator", (/App.list).appending(path: /List.item).appending(path: /Item.rename)),
    ]

    @Test(arguments: paths.map(\.name))
    func `a case path leads to the payload of a case inside other cases`(_ name: String) async throws {
        let bench = try Workbench()
        let path = try #require(Self.paths.first { $0.name == name }).path
        let store = try await bench.journal.open(
            Machine("list", initialState: [], reducer: Self.names.contramap(action: path)), stream: "a")
        try await store.dispatch(contentsOf: [.title("x"), .list(.clear), .list(.item(.remove))])
        #expect(store.state == [])
        try await store.dispatch(.list(.item(.rename("first"))))
        #expect(store.state == ["first", "again"])
        #expect(
            try await bench.sql("SELECT step, cascade FROM step_record", after: store)
                == [#"4|[{"list":{"_0":{"item":{"_0":{"rename":{"_0":"again"}}}}}}]"#])
        #expect(try bench.sql("SELECT step, name FROM journal") == ["1|title", "2|list", "3|list", "4|list"])
        try await bench.journal.close()
    }

    @Test func `a case without a payload has a case path too`() async throws {
        let bench = try Workbench()
        let counter = Reducer<Void, Int, Void> { _, state, _ in
            state += 1
            return .none
        }
        let reducer =
            counter.contramap(action: (/App.list).appending(path: /List.clear))
            + counter.contramap(action: CasePath(App.title("twice")))
        let store = try await bench.journal.open(Machine("count", initialState: 0, reducer: reducer), stream: "a")
        try await store.dispatch(contentsOf: [.list(.clear), .list(.item(.remove)), .title("once"), .title("twice")])
        #expect(store.state == 2)
        #expect(try await bench.sql("SELECT count(*) FROM journal", after: store) == ["4"])
        try await bench.journal.close()
    }

    @Test func `a case path leads to the state in a case`() async throws {
        enum Screen: Codable, Sendable, Equatable {
            case names([String])
            case help
        }
        let bench = try Workbench()
        let reducer = Reducer<String, Screen, Void>.combine(
            Self.names.contramap(state: /Screen.names),
            Reducer { action, state, _ in
                if action == "help" { state = .help }
                return .none
            })
        let store = try await bench.journal.open(
            Machine("screen", initialState: .names([]), reducer: reducer), stream: "a")
        try await store.dispatch("first")
        #expect(store.state == .names(["first", "again"]))
        try await store.dispatch(contentsOf: ["help", "second"])
        #expect(store.state == .help)
        #expect(
            try await bench.sql("SELECT step, cascade FROM step_record", after: store)
                == [#"1|["again"]"#, #"2|["again"]"#], "the reducer of the names does not run on the help screen")
        try await bench.journal.close()
    }
}
