import JournalStore
import Testing

@testable import JournalReplayKit

/// The second of four snapshots has the step 13 in the index: which of them SQLite finds depends on the question.
@Suite struct `Snapshots that are not in order` {
    private let fixture: Fixture
    private let path: String

    init() async throws {
        fixture = try Fixture()
        let journal = try fixture.open()
        let stream = try await journal.openStream("a", machine: "counter")
        try await stream.append(contentsOf: Array(repeating: "{}", count: 20))
        for step in [2, 4, 6, 8] { try await stream.saveSnapshot("\(step)", at: step) }
        try await journal.close()
        path = fixture.path("shop.db")
        try fixture.changeIndexedStep(4, to: 13, in: path)
    }

    @Test func `do not keep a fold from its end: it begins with one that is found`() throws {
        let reader = try JournalReader(path: path)
        for step in 0...20 {
            let start = try reader.startingPoint(of: try reader.stream("a"), atOrBefore: step) { $0.state }
            #expect(start.step <= step)
            #expect(start.state == (start.step == 0 ? nil : "\(start.step)"))
        }
    }

    @Test func `are an error for a list of them`() throws {
        let error = #expect(throws: JournalError.self) { try JournalReader(path: path).snapshotSteps(in: "a") }
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains("the snapshots are not in the order of their steps") == true)
    }
}
