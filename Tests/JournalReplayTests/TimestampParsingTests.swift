import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `A time` {
    @Test(arguments: [
        ("1970-01-01", "1970-01-01T00:00:00.000000Z"), ("2025-12-31", "2025-12-31T00:00:00.000000Z"),
        ("2024-02-29", "2024-02-29T00:00:00.000000Z"), ("2000-02-29T12:00", "2000-02-29T12:00:00.000000Z"),
        ("2025-12-31T23:59:59Z", "2025-12-31T23:59:59.000000Z"),
        ("2025-12-31 23:59:59.5", "2025-12-31T23:59:59.500000Z"),
        ("2025-12-31t23:59:59,123456789z", "2025-12-31T23:59:59.123456Z"),
        ("2025-12-31T23:30+01:00", "2025-12-31T22:30:00.000000Z"),
        ("2025-12-31T23:30-0130", "2026-01-01T01:00:00.000000Z"),
        ("2025-12-31T23:30+01", "2025-12-31T22:30:00.000000Z"),
        ("1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"), ("0001-01-01", "0001-01-01T00:00:00.000000Z"),
    ])
    func `is parsed in the usual formats, in UTC unless it has a zone`(text: String, moment: String) {
        #expect(Timestamp(iso: text)?.description == moment)
    }

    @Test(arguments: [-62_135_596_800_000_000, -1, 0, 1_735_689_600_123_456, 4_102_444_800_000_000] as [Int64])
    func `is parsed from what the journal prints`(microseconds: Int64) {
        let moment = Timestamp(microseconds: microseconds)
        #expect(Timestamp(iso: moment.description) == moment)
    }

    @Test(arguments: [
        "", "yesterday", "2025", "2025-13-01", "2025-02-29", "1900-02-29", "2025-04-31", "2025-00-10", "2025-01-00",
        "2025-1-1", "0000-01-01", "2025-12-31T", "2025-12-31T24:00", "2025-12-31T23:60", "2025-12-31T23:59:60",
        "2025-12-31T23:59:59.", "2025-12-31Z", "2025-12-31T23:59+1", "2025-12-31T23:59+01:", "2025-12-31T23:59 ",
        "٢٠٢٥-12-31",
    ])
    func `that does not exist is rejected`(text: String) {
        #expect(Timestamp(iso: text) == nil)
    }
}
