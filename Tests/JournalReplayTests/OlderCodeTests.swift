import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `Steps that an older version has reduced` {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    /// A counter that counts tenfold from version 2 on.
    private static func counter(_ version: Int) -> Machine<Int, Int, Void> {
        Machine<Int, Int, Void>("count", version: version, initialState: 0) { count, action in
            count += version == 1 ? action : 10 * action
        }
        .unchanged(since: 1)
    }

    private static let warning = warning("from the last stored state before it")

    private static func warning(_ start: String) -> String {
        "was written by version 1 of the machine, and this is what version 2 computes, \(start). The app may have had another state: `snapshots` lists those that it stored, and the tool of version 1 computes the "
            + "others.\n"
    }

    /// Five steps of version 1, then the base of version 2 and five steps of it.
    private func journal() async throws -> String {
        for version in [1, 2] {
            let journal = try fixture.open("count.db", SnapshotPolicy(everySteps: nil, onClose: true))
            let store = try await journal.open(Self.counter(version), stream: "a")
            for _ in 1...5 { try await store.dispatch(1) }
            try await store.close()
            try await journal.close()
        }
        return fixture.path("count.db")
    }

    @Test func `state and diff warn if newer code computes a state that an older version had computed`() async throws {
        let path = try await journal()
        for (words, output, step) in [
            (["state", "3"], "30", 3), (["state", "5"], "5", nil), (["state", "6"], "15", nil), (["state"], "55", nil),
            (["state", "0"], "0", nil), (["diff", "4", "6"], "self: 40 → 15", 4),
            (["diff", "6", "4"], "self: 15 → 40", 4), (["diff", "5", "6"], "self: 5 → 15", nil),
        ] as [([String], String, Int?)] {
            let result = await Tool.here([ReplayMachine(Self.counter(2))], [words[0], path] + words.dropFirst())
            #expect(result.output == output + "\n")
            let warning = step.map { "Step \($0) \(Self.warning)" }
            #expect(warning.map { result.error.hasSuffix($0) } ?? result.error.isEmpty, "\(result)")
            #expect(result.status == 0)
        }
    }

    /// No stored state after the left-out step counts, also not the base.
    @Test func `a state without a step of the older version is said to be none that the app had`() async throws {
        let path = try await journal()
        for (words, output, left) in [
            (["state", "last", "--without", "3"], "90", 3), (["diff", "6", "7", "--without", "2"], "self: 50 → 60", 2),
            (["state", "last", "--without", "7"], "45", nil),
        ] as [([String], String, Int?)] {
            let result = await Tool.here([ReplayMachine(Self.counter(2))], [words[0], path] + words.dropFirst())
            #expect(result.output == output + "\n")
            let warning = left.map {
                "Without step \($0), no state that was stored after it counts: version 2 of the machine computes"
            }
            #expect(warning.map { result.error.contains($0) } ?? result.error.isEmpty, "\(result)")
            #expect(result.status == 0)
        }
    }

    @Test(arguments: [[], ["--scan"]]) func `bisect warns if it finds such a step`(_ how: [String]) async throws {
        let path = try await journal()
        let line = ["bisect", path, "--where", ". > 20"] + how
        let result = await Tool.here([ReplayMachine(Self.counter(2))], line)
        #expect(result.output.hasPrefix("Step 3 is the first at which the condition holds"))
        let warning = how.isEmpty ? Self.warning : Self.warning("step by step")
        #expect(result.error.hasSuffix("Step 3 \(warning)"), "\(result)")
    }

    /// The first state of a search is the stored one; a difference of a step from itself computes none.
    @Test(arguments: [["bisect", "--from=3", "--where=. > 20", "--scan"], ["diff", "3", "3"]])
    func `the warning says that a search and an empty difference begin with a stored state`(_ line: [String])
        async throws
    {
        let path = try await journal()
        let words = [line[0], path] + line.dropFirst()
        let result = await Tool.here([ReplayMachine(Self.counter(2))], words)
        #expect(result.error.contains("Step 3 \(Self.warning)"), "\(result)")
        #expect(!result.error.contains("step by step"), "\(result)")
    }

    @Test func `the state of a step is the stored one, also after what its action did was computed`() async throws {
        let path = try await journal()
        let machines = try Machines(own: [ReplayMachine(Self.counter(2))], libraries: [])
        let session = try machines.session(on: "a", JournalReader(path: path))
        _ = try session.step(5)
        #expect(try session.state(at: 5) == "5")
    }

    @Test func `show warns of such a step`() async throws {
        let path = try await journal()
        for (step, warning) in [(3, "Step 3 \(Self.warning)"), (6, "")] {
            let result = await Tool.here([ReplayMachine(Self.counter(2))], ["show", path, "\(step)"])
            #expect(result.output.hasSuffix(step == 3 ? "self: 20 → 30\n" : "self: 5 → 15\n"))
            #expect(warning.isEmpty ? result.error.isEmpty : result.error.hasSuffix(warning), "\(result)")
        }
    }

    @Test func `bisect run warns if it finds such a step`() async throws {
        let path = try await journal()
        let line = ["bisect", "run", path, #"test "$(cat)" -le 20"#]
        let result = await Tool.here([ReplayMachine(Self.counter(2))], line)
        #expect(result.output.hasPrefix("Step 3 is the first whose state is bad"))
        #expect(result.error.hasSuffix("Step 3 \(Self.warning)"), "\(result)")
    }

    @Test func `a page warns of such steps, and has the warning`() async throws {
        let path = try await journal()
        for (last, warns) in [("10", true), ("5", false)] {
            let page = fixture.path("count-\(last).html")
            let line = ["page", path, "--out", page, "--states", last]
            let result = await Tool.here([ReplayMachine(Self.counter(2))], line)
            #expect(result.status == 0)
            let warning = Self.warning("step by step")
            #expect(result.error.contains("stream 'a': Step 1 \(warning)") == warns, "\(result)")
        }
    }

    @Test func `a walk shows the warning beside states and changes`() async throws {
        let path = try await journal()
        let source = WalkSource(reader: try JournalReader(path: path), stream: "a", version: 2)
        for pane in [WalkPane.state, .changes] {
            #expect(try source.note(at: 3, pane).map { $0 + "\n" } == "Step 3 \(Self.warning)")
            #expect(try source.note(at: 6, pane) == nil)
        }
        var walk = Walk(file: path, stream: "a", hasStates: true, size: ScreenSize(columns: 80, rows: 24))
        _ = walk.handle(.loaded(try source.window(around: 3), around: 3))
        _ = walk.handle(.answered(WalkAnswer(step: 3, pane: walk.pane, content: .state("30"), note: "Note this.")))
        #expect(walk.paneLines?.map(\.text) == ["Note this.", "", "30"])
    }

    /// The pane with the changes computes the step, and the journal has the state after it.
    @Test func `a session shows the stored state of a step also after its changes`() async throws {
        let path = try await journal()
        let session = MachineSession(
            try Replayer(Self.counter(2), reader: JournalReader(path: path), stream: "a"))
        #expect(try session.state(at: 5) == "5")
        #expect(try session.step(5).changes.map(\.description) == ["self: 40 → 50"])
        #expect(try session.state(at: 5) == "5")
        #expect(try session.step(6).changes.map(\.description) == ["self: 5 → 15"])
        #expect(try session.state(at: 6) == "15")
    }

    @Test func `the tool of the older version computes the states before the base`() async throws {
        let path = try await journal()
        let result = await Tool.here([ReplayMachine(Self.counter(1))], ["state", path, "3"])
        #expect(result.output == "3\n")
        #expect(result.error == "")
    }

    /// The base takes the place of the state only after the changes.
    @Test func `show warns of the changes of the step with the base`() async throws {
        let path = try await journal()
        for (step, warns) in [(5, true), (6, false)] {
            let result = await Tool.here([ReplayMachine(Self.counter(2))], ["show", path, "\(step)"])
            #expect(result.error.hasSuffix("Step 5 \(Self.warning)") == warns, "\(result)")
        }
    }
}
