import Foundation
import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `diagram` {
    @Test func `counts the transitions between the cases at a path`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.accounts()
        let result = try await Tool.inApp("diagram", path, "--path", "status")
        #expect(result.status == 0)
        #expect(result.error == "")
        // Without the times, which depend on how often the clock was read.
        let lines = result.lines.map { $0.prefix(while: { $0 != "," }) }
        #expect(
            lines == [
                "stateDiagram-v2", #"    state "new" as s0"#, #"    state "open" as s1"#, #"    state "closed" as s2"#,
                "    s0 --> s0: add ×1", "    s0 --> s0: label ×1", "    s0 --> s1: open ×1", "    s1 --> s1: both ×1",
                "    s1 --> s1: add ×1", "    s1 --> s1: ask ×1", "    s1 --> s1: answer ×1", "    s1 --> s2: close ×1",
                "    s0 --> s0: close refused ×1",
            ])
    }

    @Test func `shows the beginning of a long name, and two labels for two names`() {
        var labels = DiagramLabels()
        let long = String(repeating: "x", count: 70)
        #expect(labels.label(of: long + "a") == String(repeating: "x", count: 60) + "…")
        #expect(labels.label(of: long + "b") == String(repeating: "x", count: 60) + "… (2)")
        #expect(labels.label(of: long + "a") == String(repeating: "x", count: 60) + "…")
        #expect(labels.label(of: "open") == "open")
        #expect(DiagramNode.name(of: .text(long)) == long)
    }

    @Test func `says how long the streams had been in the node before, on average`() {
        var tally = TransitionTally()
        let edge = TransitionTally.Edge(from: "a", to: "b", action: "go")
        for (entered, time) in [(0, 4_000_000), (10_000_000, 16_400_000)] as [(Int64, Int64)] {
            tally.add(edge, at: Timestamp(microseconds: time), since: Timestamp(microseconds: entered))
        }
        let rows = DiagramRow.rows(tally, over: nil)
        #expect(rows.map(\.label) == ["go ×2, after 5.2 s"])
        #expect(rows[0].count?.first == Timestamp(microseconds: 4_000_000))
        #expect(rows[0].count?.last == Timestamp(microseconds: 16_400_000))
        var long = TransitionTally()
        long.add(edge, at: Timestamp(microseconds: .max), since: Timestamp(microseconds: .min))
        #expect(DiagramRow.rows(long, over: nil).map(\.label) == ["go ×1, after 213503982.3 days"])
    }

    @Test func `leaves out the steps that were skipped or cancelled`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        let stream = try await journal.openStream("a", machine: "account")
        try await stream.append(contentsOf: [
            #"{"open":{"limit":5}}"#, #"{"label":{"_0":"x"}}"#, #"{"close":{}}"#,
        ])
        var batch = Batch()
        batch.steps = [StepRecord(stream: stream.id, step: 2, outcome: .cancelled)]
        batch.settled = [stream.id: 2]
        _ = try await journal.commit(batch)
        try await stream.close()
        try await journal.skip(3, in: "a", reason: nil)
        try await journal.close()
        let result = try await Tool.inApp("diagram", fixture.path("shop.db"), "--path", "status", "--json")
        #expect(try objects(result.output).map { $0["action"] as? String } == ["open"], "\(result)")
    }

    @Test func `marks a rejected step as refused before its outcome is recorded`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        let stream = try await journal.openStream("a", machine: "account")
        try await stream.append(contentsOf: [#"{"close":{}}"#, #"{"open":{"limit":5}}"#])
        try await stream.close()
        try await journal.close()
        let result = try await Tool.inApp("diagram", fixture.path("shop.db"), "--path", "status", "--json")
        let rows = try objects(result.output)
        #expect(rows.map { $0["action"] as? String } == ["close", "open"], "\(result)")
        #expect(rows.map { $0["status"] as? String } == ["refused", "taken"], "\(result)")
    }

    @Test func `of a pruned stream tells no wait in the node in which it begins`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.accounts()
        #expect(try await Tool.inApp("snapshot", path, "a", "--at=6", "--yes").status == 0)
        #expect(try await Tool.run("prune", path, "a", "--before=7", "--yes").status == 0)
        let result = try await Tool.inApp("diagram", path, "a", "--path", "status")
        #expect(result.lines.suffix(2) == ["    s0 --> s0: answer ×1", "    s0 --> s1: close ×1"], "\(result)")
        let json = try objects(try await Tool.inApp("diagram", path, "a", "--path", "status", "--json").output)
        #expect(!json.isEmpty && json.allSatisfy { $0["meanWait"] is NSNull })
        var tally = TransitionTally()
        let edge = TransitionTally.Edge(from: "a", to: "b", action: "go")
        tally.add(edge, at: Timestamp(microseconds: 9_000_000), since: nil)
        tally.add(edge, at: Timestamp(microseconds: 9_000_000), since: Timestamp(microseconds: 4_000_000))
        #expect(DiagramRow.rows(tally, over: nil).map(\.label) == ["go ×2, after 5 s"])
    }

    /// A machine with a status.
    private struct Parcel: Codable, Sendable, Equatable { var status = "new" }

    @Test func `leaves out a machine without the path, and takes one machine`() async throws {
        let parcel = Machine<String, Parcel, Void>("parcel", initialState: Parcel()) { state, action in
            state.status = action
        }
        let count = Machine<Int, Int, Void>("count", initialState: 0) { $0 += $1 }
        let fixture = try Fixture()
        let journal = try fixture.open()
        let (sum, sent) = (try await journal.open(count, stream: "sum"), try await journal.open(parcel, stream: "p"))
        try await sum.dispatch(1)
        try await sent.dispatch("sent")
        try await journal.close()
        let machines = [ReplayMachine(parcel), ReplayMachine(count)]
        let path = fixture.path("shop.db")
        let result = await Tool.here(machines, ["diagram", path, "--path", "status"])
        #expect(result.status == 0)
        #expect(result.output.contains(#"state "sent""#))
        #expect(!result.output.contains(#"state "none""#), "\(result.output)")
        #expect(result.error == "No state of the machine 'count' has 'status': its streams are left out.\n")
        let one = await Tool.here(machines, ["diagram", path, "--path", "status", "--of", "parcel"])
        #expect(one.output == result.output)
        #expect(one.error == "")
        let known = await Tool.here([ReplayMachine(parcel)], ["diagram", path, "--path", "status"])
        #expect(known.output == result.output)
        #expect(known.error == "The machine 'count' is unknown: its streams are left out.\n")
        let wrong = await Tool.here(machines, ["diagram", path, "--path", "stats"])
        #expect(wrong.output == "stateDiagram-v2\n")
        #expect(wrong.error == "Warning: No state has 'stats'.\n")
        let unknown = await Tool.here(machines, ["diagram", path, "--of", "parzel"])
        #expect(unknown.status == 64)
        #expect(unknown.error.hasPrefix("Error: No stream has the machine 'parzel'. Did you mean 'parcel'?"))
        #expect(await Tool.here(machines, ["diagram", path, "p", "--of", "parcel"]).status == 64)
    }

    @Test func `writes JSON Lines with the keys that its help lists`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.accounts()
        let result = try await Tool.inApp("diagram", path, "--path", "status", "--json", "--stream", "b")
        #expect(try keys(ofFirstLine: result.output) == Command.diagram.keys.map(\.name))
        let rows = try objects(result.output)
        #expect(rows.map { $0["status"] as? String } == ["refused"])
        #expect(rows.map { $0["count"] as? Int } == [1])
    }

    @Test func `laid over a table, marks arrows that no step took and steps that the table does not have`() async throws
    {
        let fixture = try Fixture()
        let path = try await fixture.accounts()
        let table = fixture.path("table.mmd")
        let lines = [
            "stateDiagram-v2", #"    state "new" as s0"#, #"    state "open(limit#58; 5)" as s1"#,
            #"    state "closed" as s2"#,
            "    s0 --> s1: open", "    s1 --> s2: close [empty]", "    s2 --> s1: open [again#59; later]",
        ]
        try lines.joined(separator: "\n").write(toFile: table, atomically: true, encoding: .utf8)
        let result = try await Tool.inApp(
            "diagram", path, "--path", "status", "--stream", "a", "--over", table, "--format", "graphviz")
        #expect(result.lines.first == "digraph {")
        #expect(result.output.contains(#""new" -> "open" [label="open ×1, after "#))
        #expect(result.output.contains(#""open" -> "closed" [label="close ×1, "#))
        #expect(
            result.output.contains(
                #""closed" -> "open" [label="open [again; later], never", style=dashed, color=gray];"#))
        #expect(result.output.contains(#""open" -> "open" [label="ask (not in the table) ×1, "#))
    }

    @Test func `reads what a transition table prints`() throws {
        enum Door: String, CaseIterable, Sendable, Hashable { case open, closed }
        enum Hand: Sendable, Hashable { case push, pull }
        let table: TransitionTable<Hand, Door, Void> = [
            .push | .open => .closed,
            .pull | .closed => .open,
        ]
        let arrows = try #require(TableArrows(mermaid: table.diagram(.mermaid))).arrows
        #expect(
            arrows.map { [$0.from, $0.to, $0.input] } == [
                [["open"], ["closed"], ["push"]], [["closed"], ["open"], ["pull"]],
            ])
        #expect(TableArrows(mermaid: "no diagram") == nil)
        #expect(TableArrows(mermaid: "state \"cut off\na --> b: go")?.arrows.map(\.from) == [["a"]])
    }

    @Test(arguments: [
        ("any", true), ("[predicate]", true), ("open(limit#58; 5, of#58; 2), closed", true), ("open", true),
        ("archived", false), ("closed", false),
    ])
    func `an arrow of a table stands for a node by its name or by a pattern, and not by another name`(
        from: String, covers: Bool
    ) throws {
        let text = "state \"\(from)\" as s0\nstate \"open\" as s1\ns0 --> s1: add, sell [if]"
        let arrow = try #require(TableArrows(mermaid: text)).arrows[0]
        for action in ["add", "sell"] {
            #expect(arrow.covers(.init(from: "open", to: "open", action: action)) == covers)
        }
        #expect(!arrow.covers(.init(from: "open", to: "open", action: "pay")))
    }

    @Test(arguments: [
        (#"edit(tags#58; ["x"]), clear [again]"#, ["edit", "clear"]), (#"say("x) , y"), [odd]"#, ["say", ""]),
        (#"say("a \" [b"), stop"#, ["say", "stop"]), ("[odd]", ["[odd]"]),
    ])
    func `the inputs of an arrow are found beside their payloads`(label: String, inputs: [String]) throws {
        #expect(try #require(TableArrows(mermaid: "a --> b: \(label)")).arrows[0].input == inputs)
    }

    @Test(arguments: [
        (#""open""#, "open"), (#"{"open":{"limit":5}}"#, "open"), ("null", "none"), ("true", "true"),
        ("12.50", "12.50"),
        (#"{"a":1,"b":2}"#, nil), ("[1]", nil), (#"{"count":3}"#, nil), (#"{"items":[]}"#, nil),
    ])
    func `has the name of a case or a short value as a node`(value: String, name: String?) throws {
        #expect(DiagramNode.name(of: try #require(JSON(value))) == name)
    }

    @Test func `says what to choose if a state has several parts, and that it needs the machine`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.accounts()
        let parts = try await Tool.inApp("diagram", path)
        #expect(parts.status == 64)
        #expect(
            parts.error.hasPrefix(
                "Error: The state has parts: choose the one to draw with '--path': "))
        let list = try await Tool.inApp("diagram", path, "--path", "lines")
        #expect(list.error.hasPrefix("Error: 'lines' is a list"))
        let none = try await Tool.run("diagram", path)
        #expect(none.status == 1)
        #expect(none.error.contains("This needs the machine 'account'"))
        let file = try await Tool.inApp("diagram", path, "--over", path)
        #expect(file.status == 64)
        #expect(file.error.contains("has no arrow of a Mermaid diagram"))
    }

    @Test func `names the file, the stream and the step of a state that cannot be drawn`() async throws {
        let fixture = try Fixture()
        let shouts = try await fixture.shouts()
        let text = await Tool.here([ReplayMachine(shouting)], ["diagram", shouts])
        #expect(text.status == 64)
        #expect(text.error.hasPrefix("Error: \(shouts), stream 'a', step 0: The state is not JSON"), "\(text.error)")
        let counts = Machine<Int, [String: Int], Void>("counts", initialState: [:]) { $0["\($1)"] = $1 }
        let journal = try fixture.open("counts.db", .never)
        try await journal.open(counts, stream: "b").dispatch(1)
        try await journal.close()
        let path = fixture.path("counts.db")
        let empty = await Tool.here([ReplayMachine(counts)], ["diagram", path])
        #expect(empty.status == 64)
        #expect(empty.error.hasPrefix("Error: \(path), stream 'b', step 0: The state is empty"), "\(empty.error)")
    }
}
