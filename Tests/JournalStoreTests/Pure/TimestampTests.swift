import Foundation
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Pure, timestamps` {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000000Z"),
            (1, "1970-01-01T00:00:00.000001Z"),
            (-1, "1969-12-31T23:59:59.999999Z"),
            (-1_000_000, "1969-12-31T23:59:59.000000Z"),
            (-86_400_000_000, "1969-12-31T00:00:00.000000Z"),
            (68_169_600_000_001, "1972-02-29T00:00:00.000001Z"),
            (1_709_251_199_000_010, "2024-02-29T23:59:59.000010Z"),
            (1_704_013_687_060_504, "2023-12-31T09:08:07.060504Z"),
            (1_735_603_200_000_000, "2024-12-31T00:00:00.000000Z"),
            // 1900 and 2100 have no leap day, 2000 and 1600 have one.
            (-2_203_891_200_000_001, "1900-02-28T23:59:59.999999Z"),
            (-2_203_891_200_000_000, "1900-03-01T00:00:00.000000Z"),
            (951_827_696_789_012, "2000-02-29T12:34:56.789012Z"),
            (951_868_800_000_000, "2000-03-01T00:00:00.000000Z"),
            (4_107_542_399_000_000, "2100-02-28T23:59:59.000000Z"),
            (4_107_542_400_000_000, "2100-03-01T00:00:00.000000Z"),
            (-11_670_998_400_000_000, "1600-02-29T00:00:00.000000Z"),
            (-62_135_596_800_000_000, "0001-01-01T00:00:00.000000Z"),
            (-62_198_755_200_000_000, "-001-01-01T00:00:00.000000Z"),
            (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
        ] as [(Int64, String)])
    func `a timestamp is shown in UTC with microseconds`(_ microseconds: Int64, _ text: String) {
        #expect(Timestamp(microseconds: microseconds).description == text)
    }

    @Test func `a timestamp shows the same date as Foundation`() {
        let formatter = ISO8601DateFormatter()
        var random = SplitMix(seed: 2)
        for _ in 0..<3_000 {
            // From 1600 on: Foundation uses another calendar for earlier dates.
            let seconds = Int64.random(in: -11_676_096_000...253_402_300_799, using: &random)
            let fraction = Int64.random(in: 0..<1_000_000, using: &random)
            let theirs = formatter.string(from: Date(timeIntervalSince1970: Double(seconds))).dropLast()
            let digits = String(String(1_000_000 + fraction).dropFirst())
            #expect(
                Timestamp(microseconds: seconds * 1_000_000 + fraction).description == "\(theirs).\(digits)Z")
        }
    }

    @Test func `a timestamp shows the same date as the journal's views`() throws {
        let connection = try Connection(path: "", access: .memory)
        let shown = try connection.prepare(
            """
            SELECT strftime('%Y-%m-%dT%H:%M:%S', ?1 / 1000000, 'unixepoch') || printf('.%06dZ', ?1 % 1000000)
            """)
        var random = SplitMix(seed: 3)
        for _ in 0..<500 {
            let moment = Timestamp(microseconds: Int64.random(in: 0...253_402_300_799_999_999, using: &random))
            shown.bind(1, moment.microseconds)
            #expect(try shown.first { $0.text(0) } == moment.description)
        }
    }

    @Test func `timestamps are ordered by time`() {
        let moments = [-2, -1, 0, 1, 2, 1_000_000].map { Timestamp(microseconds: $0) }
        #expect(moments.reversed().sorted() == moments)
    }

    @Test func `now is the system's clock in microseconds`() {
        let before = Int64(Date().timeIntervalSince1970) - 60
        let now = Timestamp.now().microseconds / 1_000_000
        #expect((before...before + 120).contains(now))
    }

    @Test func `the earliest timestamp can be shown`() {
        #expect(Timestamp(microseconds: .min).description.hasSuffix("T19:59:05.224192Z"))
    }
}
