import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `A remark about a date` {
    @Test(arguments: [
        (#"  "at": "2025-01-01T00:00:00Z","#, "2 days ago"), (#"  "2024-12-31T23:00:00.25Z""#, "2 days ago"),
        (#"  "at": "2025-01-02T23:59:00Z""#, "60 s ago"), (#""2025-01-03T05:00:00+01:00""#, "in 4 h"),
        (#"  "at": "2026-01-03T00:00:00Z""#, "in 365 days"), (#"  "at": "2025-01-01""#, nil), ("  {", nil), ("", nil),
        (#"  "note": "since 2025-01-01T00:00:00Z""#, nil), (#"  "at": 2025,"#, nil), (#"""#, nil),
        (#"  "at": "2025-01-01T00:00:00Z" }"#, nil),
    ])
    func `follows a line whose value is a date`(line: String, remark: String?) throws {
        let now = try #require(Timestamp(iso: "2025-01-03T00:00:00Z"))
        #expect(DateNote.added(to: line, now: now) == line + (remark.map { "  (\($0))" } ?? ""))
    }
}
