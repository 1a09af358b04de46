import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `A time on the command line` {
    /// 2026-11-20T10:00:00Z
    private static let now = Timestamp(microseconds: 1_795_168_800_000_000)

    @Test(arguments: [
        ("10m", "2026-11-20T09:50:00.000000Z"), ("45s", "2026-11-20T09:59:15.000000Z"),
        ("2h30m", "2026-11-20T07:30:00.000000Z"), ("3d", "2026-11-17T10:00:00.000000Z"),
        ("1w", "2026-11-13T10:00:00.000000Z"), ("0s", "2026-11-20T10:00:00.000000Z"),
        ("2026-11-20T10:00Z", "2026-11-20T10:00:00.000000Z"), ("2026-11-20", "2026-11-20T00:00:00.000000Z"),
        ("2026-11-20 10:00:30+01:00", "2026-11-20T09:00:30.000000Z"),
    ])
    func `is a date, a time of day, or a span before now`(text: String, time: String) {
        #expect(Timestamp(argument: text, now: Self.now)?.description == time)
    }

    @Test(arguments: [
        "", "10", "m", "10 m", "m10", "-5m", "1.5h", "10M", "10min", "9999999999999999999s", "9223372036854775807w",
        "٣m", "yesterday",
    ])
    func `is nothing else`(text: String) {
        #expect(Timestamp(argument: text, now: Self.now) == nil)
    }

    @Test func `before the first timestamp does not exist`() {
        #expect(Timestamp(argument: "1s", now: Timestamp(microseconds: .min)) == nil)
    }
}
