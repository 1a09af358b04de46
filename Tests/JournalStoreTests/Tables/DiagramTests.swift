import Testing

@testable import JournalStore

@Suite struct `Diagrams of a transition table` {
    private enum Odd: Sendable, Equatable { case text(String) }

    @Test func `Mermaid shows each row, with the names of predicates as guards`() {
        #expect(
            authTable.diagram(.mermaid) == """
                stateDiagram-v2
                    state "loggedOut" as s0
                    state "loggingIn" as s1
                    state "loggedIn" as s2
                    state "loggingOut" as s3
                    s0 --> s1: login
                    s1 --> s2: loginOK
                    s2 --> s3: logout
                    s3 --> s0: logoutOK
                    s1 --> s3: forceLogout [canForceLogout]
                    s2 --> s3: forceLogout [canForceLogout]

                """)
    }

    @Test func `without states a pattern that names none is a node of its own`() {
        let table: TransitionTable<Int?, String, Void> = [
            1 | any => "b", 2 | .where("long") { $0.count > 9 } => { $0 + "!" }, { $0 == 5 } | "a" => "b",
            .case(Int?.some, "some") | "a" => "b",
        ]
        #expect(
            table.diagram(.graphviz) == """
                digraph {
                    "any" -> "b" [label="Optional(1)"];
                    "[long]" -> "[function]" [label="Optional(2)"];
                    "a" -> "b" [label="[predicate]"];
                    "a" -> "b" [label="some"];
                }

                """)
    }

    @Test func `functions are evaluated for the listed states`() {
        let table: TransitionTable<Int, Int, Void> = [1 | any => { ($0 + 1) % 3 }]
        #expect(
            table.diagram(.graphviz, states: [0, 1, 2]) == """
                digraph {
                    "0" -> "1" [label="1"];
                    "1" -> "2" [label="1"];
                    "2" -> "0" [label="1"];
                }

                """)
    }

    @Test func `a row has no arrow where earlier rows take its inputs`() {
        let table: TransitionTable<AuthInput, AuthState, Void> = [
            .login | .loggedOut => .loggingIn,
            [.login, .logout] | { $0 == .loggedOut || $0 == .loggedIn } => .loggingOut,
            any | .loggedOut => .loggedIn,
            .forceLogout | any => .loggedOut,
        ]
        #expect(
            table.diagram(.graphviz, states: [.loggedOut, .loggedIn]) == """
                digraph {
                    "loggedOut" -> "loggingIn" [label="login"];
                    "loggedOut" -> "loggingOut" [label="logout [predicate]"];
                    "loggedIn" -> "loggingOut" [label="login, logout [predicate]"];
                    "loggedOut" -> "loggedIn" [label="any"];
                    "loggedIn" -> "loggedOut" [label="forceLogout"];
                }

                """)
    }

    @Test func `characters that have a meaning in a format are escaped`() {
        let table: TransitionTable<Odd, Odd, Void> = [.text("a:b\n") | .text(#"""#) => .text(#"\"#)]
        let mermaid = table.diagram(.mermaid)
        #expect(!mermaid.contains("a:b") && mermaid.contains("a#58;b"))
        var text = DiagramText(.mermaid)
        text.add(from: "50%%{x", to: "}%%", label: "%%{wrap}")
        #expect(!text.finished.contains { "%{}".contains($0) })
        #expect(mermaid.split(separator: "\n").count == 4)
        #expect(table.diagram(.graphviz).split(separator: "\n").count == 3)
    }
}

@Suite struct `The review of a transition table` {
    private typealias Table = TransitionTable<AuthInput, AuthState, Void>

    @Test func `a table in which every state and row counts has nothing to report`() {
        let review = authTable.review(from: .loggedOut)
        #expect(review.isClean)
        #expect(review.description == "")
    }

    @Test func `states that no input leads to are reported`() {
        let table: Table = [.login | .loggedOut => .loggingIn, .loginOK | .loggedIn => .loggingOut]
        let review = table.review(from: .loggedOut)
        #expect(review.unreachableStates == [.loggedIn, .loggingOut])
        #expect(review.description == "unreachable: loggedIn\nunreachable: loggingOut")
    }

    /// A payload that doubles would overflow after 63 of them.
    @Test func `states that are not listed are followed a few times only`() {
        let table: TransitionTable<Int, Int, Void> = [
            1 | { $0 > 0 } => { state in
                precondition(state <= 1 << 40, "It was followed too far.")
                return state * 2
            }
        ]
        #expect(table.review(from: 1, states: [1, 2, 16, 0], inputs: [1]).unreachableStates == [])
    }

    @Test func `a row is reported if earlier rows take all that it matches`() {
        let table: Table = [
            .login | any => .loggingIn,
            .login | .loggedOut => .loggedIn,
            .logout | [.loggedIn, .loggingIn] => .loggedOut,
            .logout | any => .loggingOut,
            any | { $0 == .loggedIn && $0 == .loggedOut } => .loggedIn,
        ]
        let review = table.review(from: .loggedOut)
        #expect(review.shadowedRows.map(\.description) == ["row 1: login | loggedOut => loggedIn"])
        #expect(review.unmatchedRows.map(\.description) == ["row 4: any | [predicate] => loggedIn"])
        #expect(!review.isClean)
    }

    @Test func `states and inputs that cannot be enumerated are listed`() {
        let table: TransitionTable<Int, Int, Void> = [1 | { $0 < 9 } => { $0 + 1 }, { $0 > 0 } | 3 => 0]
        let review = table.review(from: 0, states: [0, 2, -1], inputs: [1])
        #expect(review.unreachableStates == [-1])
        #expect(review.shadowedRows == [])
        #expect(review.unmatchedRows.map(\.index) == [1])
    }

    @Test func `no state is called unreachable if there are too many to try`() {
        let count: TransitionTable<Int, Int, Void> = [1 | any => { $0 + 1 }]
        #expect(count.review(from: 0, states: [0, 1_500], inputs: [1]).unreachableStates == [])
        #expect(count.review(from: 0, states: [0, 1_500, -1], inputs: [1]).unreachableStates == [])
    }

    private enum Door: Sendable, Equatable { case knock(String), open }

    @Test func `a row for a payload is drawn for the listed inputs`() {
        let table: TransitionTable<Door, String, Void> = [
            .on(CasePath(Door.knock), "knock", from: ["closed"], to: { name, _ in "greeting \(name)" })
        ]
        #expect(table.diagram(.graphviz).contains(#""closed" -> "[function]" [label="knock"];"#))
        #expect(
            table.diagram(.graphviz, inputs: [.knock("ann"), .open, .knock("bob")]) == """
                digraph {
                    "closed" -> "greeting ann" [label="knock"];
                    "closed" -> "greeting bob" [label="knock"];
                }

                """)
    }

    @Test func `an empty name and control characters are shown`() {
        let table: TransitionTable<Int, String, Void> = [1 | "" => "a\u{0}b\u{7F}\n"]
        #expect(
            table.diagram(.mermaid) == """
                stateDiagram-v2
                    state " " as s0
                    state "a\u{2400}b\u{2421}#10;" as s1
                    s0 --> s1: 1

                """)
        #expect(table.diagram(.graphviz).contains("\"\" -> \"a\u{2400}b\u{2421}\\n\" [label=\"1\"];"))
    }
}
