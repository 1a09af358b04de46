import Testing

@testable import JournalReplayKit

@Suite struct `Streams with the same finding` {
    @Test func `are kept together, in the order in which the findings came`() {
        var groups = StreamGroups<String>()
        let findings = [("a", "x"), ("b", "y"), ("c", "x"), ("d", "z"), ("e", "y"), ("f", "x")]
        let new = findings.map { groups.add($0, to: $1) }
        #expect(new == [true, true, false, true, false, false])
        let kept = groups.groups.map { "\($0.finding): \($0.streams.joined(separator: ", "))" }
        #expect(kept == ["x: a, c, f", "y: b, e", "z: d"])
    }
}
