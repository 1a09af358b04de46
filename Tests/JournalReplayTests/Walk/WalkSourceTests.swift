import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `The source of a walk` {
    private func source(_ fixture: Fixture, damaged step: Int) async throws -> WalkSource {
        let path = try await fixture.counter(entries: 20)
        try fixture.execute("UPDATE entry SET origin = 99 WHERE step = \(step)", in: path)
        return WalkSource(reader: try JournalReader(path: path), stream: "counter")
    }

    @Test(arguments: [1, 10, 20], [1, 10, Int.max])
    func `passes over an entry that cannot be read`(damaged: Int, around: Int) async throws {
        let fixture = try Fixture()
        let source = try await source(fixture, damaged: damaged)
        let window = try source.window(around: around)
        #expect(window.rows.map(\.step) == (1...20).filter { $0 != damaged })
        #expect(window.isDamaged)
        #expect(window.hasStart && window.hasEnd)
        let search = WalkSearch(text: #""n":15}"#, isBackwards: false, origin: 2)
        #expect(try source.search(search) == .found(step: 15))
        // The rest may be damaged.
        #expect(try source.search(WalkSearch(text: "none", isBackwards: false, origin: 19)) == .end())
        #expect(try source.search(WalkSearch(text: "none", isBackwards: true, origin: 2)) == .end())
    }

    @Test(arguments: [#""n": 15"#, #""n":15"#]) func `finds JSON as it is stored and as it is shown`(_ text: String)
        async throws
    {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 20)
        let source = WalkSource(reader: try JournalReader(path: path), stream: "counter")
        let search = WalkSearch(text: text, isBackwards: false, origin: 2)
        #expect(try source.search(search) == .found(step: 15))
    }

    @Test func `marks an entry that was changed, and says why beside it`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 20)
        try fixture.execute("UPDATE entry SET action = '{\"add\":{\"n\":900}}' WHERE step = 7", in: path)
        let source = WalkSource(reader: try JournalReader(path: path), stream: "counter")
        let window = try source.window(around: 10)
        #expect(window.isDamaged)
        #expect(window.rows.filter(\.isDamaged).map(\.step) == [7])
        #expect(try source.detail(of: 7)?.problem != nil)
        #expect(try source.detail(of: 8)?.problem == nil)
        var walk = Walk(file: path, stream: "counter", hasStates: false, size: ScreenSize(columns: 100, rows: 24))
        _ = walk.handle(.loaded(window, around: 7))
        #expect(WalkView(walk: walk).frame.lines.contains { $0.text.contains("damaged add") })
    }

    @Test func `says that a step is missing`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 20)
        try fixture.execute("DELETE FROM entry WHERE step = 7", in: path)
        let window = try WalkSource(reader: try JournalReader(path: path), stream: "counter").window(around: 7)
        #expect(window.isDamaged)
        #expect(window.rows.filter(\.isDamaged).isEmpty)
        var walk = Walk(file: path, stream: "counter", hasStates: false, size: ScreenSize(columns: 80, rows: 24))
        walk.head = 20
        _ = walk.handle(.loaded(window, around: 7))
        #expect(walk.window.selected?.step == 8)
        #expect(walk.message == "Step 7 is missing or cannot be read: 'verify' lists the damage.")
        #expect(
            try WalkSource(reader: JournalReader(path: path), stream: "counter").detail(of: 8)?.problem
                == "Step 7 is missing.")
    }

    @Test func `notices that the newest step is missing`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 20)
        let source = WalkSource(reader: try JournalReader(path: path), stream: "counter")
        #expect(try !source.window(around: .max).isDamaged)
        try fixture.execute("DELETE FROM entry WHERE step = 20", in: path)
        #expect(try source.window(around: .max).isDamaged)
    }

    @Test(arguments: [1, 5, 10, 11])
    func `says of a pruned step that it was pruned, and nothing of the beginning`(_ step: Int) async throws {
        let fixture = try Fixture()
        let path = fixture.path("shop.db")
        let journal = try fixture.open()
        let counter = try await journal.openStream("counter", machine: "counter")
        try await counter.append(contentsOf: (1...20).map { "\($0)" })
        var batch = Batch()
        batch.settled = [counter.id: 20]
        _ = try await journal.commit(batch)
        try await counter.saveSnapshot("10", at: 10)
        #expect(try await journal.prune("counter", before: 11).base == 10)
        try await journal.close()
        let window = try WalkSource(reader: try JournalReader(path: path), stream: "counter").window(around: step)
        #expect(!window.isDamaged)
        var walk = Walk(file: path, stream: "counter", hasStates: false, size: ScreenSize(columns: 80, rows: 24))
        _ = walk.handle(.loaded(window, around: step))
        #expect(walk.window.selected?.step == 11)
        #expect(walk.message == (2...10 ~= step ? "Step \(step) was pruned." : nil))
    }

    /// Knows the states of some steps.
    private struct SomeStates: WalkStates {
        var unknown: Set<Int>
        func state(at step: Int) throws -> String {
            if unknown.contains(step) { throw CancellationError() }
            return step < 5 ? "early" : "late"
        }
        func changes(at step: Int) throws -> [ValueDiff.Change] { [] }
    }

    @Test func `tells of states that cannot be computed`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 20)
        let source = WalkSource(reader: try JournalReader(path: path), stream: "counter")
        func find(_ text: String, _ unknown: Set<Int>) throws -> WalkSearch.Result {
            let states = SomeStates(unknown: unknown)
            return try source.search(WalkSearch(text: text, isBackwards: false, origin: 1), states)
        }
        #expect(try find("late", []) == .found(step: 5, isInState: true))
        #expect(try find("late", [3]) == .found(step: 5, isInState: true))
        #expect(try find("late", [4]) == .found(step: 5, isInState: true, wasBefore: nil))
        #expect(try find("late", [4, 5, 6, 7]) == .found(step: 8, isInState: true, wasBefore: nil))
        let first = WalkSearch(text: "early", isBackwards: false, origin: 0)
        #expect(
            try source.search(first, SomeStates(unknown: []))
                == .found(step: 1, isInState: true, wasBefore: true), "in the initial state")
        #expect(try find("none", []) == .end())
        #expect(try find("none", [7]) == .end(hasUnknown: true))
    }

    @Test func `names the step if nothing can be read`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 20)
        try fixture.execute("UPDATE entry SET origin = 99", in: path)
        let source = WalkSource(reader: try JournalReader(path: path), stream: "counter")
        let error = #expect(throws: JournalError.self) { try source.window(around: .max) }
        #expect(error?.code == .corrupt)
        #expect(error?.step == 20)
    }

    @Test func `shows an outcome that cannot be read as such`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.accounts()
        try fixture.execute("UPDATE step_record SET reason = 'x' WHERE outcome = 'rejected'", in: path)
        let source = WalkSource(reader: try JournalReader(path: path), stream: "b")
        #expect(try source.window(around: 1).rows.map(\.outcome.description) == ["cannot be read"])
        #expect(try source.detail(of: 1)?.outcome.description == "cannot be read")
    }

    @Test func `is followed by a message about what was left out`() {
        var stage = WalkStage.counter(3)
        var window = stage.walk.window
        window.isDamaged = true
        stage.happen(.loaded(window, around: 3))
        #expect(stage.lastLine == "Steps are damaged or missing: 'verify' lists the damage.")
    }
}
