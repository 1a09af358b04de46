import Foundation
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Dates` {
    private static let codec = JSONCodec()
    private static let older = JSONCodec(dates: .secondsSince2001)

    @Test(arguments: [
        (0, "2001-01-01T00:00:00Z"), (0.25, "2001-01-01T00:00:00.25Z"), (-0.25, "2000-12-31T23:59:59.75Z"),
        (-1, "2000-12-31T23:59:59Z"), (-1.5, "2000-12-31T23:59:58.5Z"), (-0.999, "2000-12-31T23:59:59.001Z"),
        (785_332_800, "2025-11-20T12:00:00Z"), (785_332_800.123_456, "2025-11-20T12:00:00.123456Z"),
        (-978_307_200, "1970-01-01T00:00:00Z"), (-978_307_200.5, "1969-12-31T23:59:59.5Z"),
        (-63_113_904_000, "0001-01-01T00:00:00Z"), (252_423_993_599.5, "9999-12-31T23:59:59.5Z"),
        (94_608_000, "2004-01-01T00:00:00Z"), (99_705_600, "2004-02-29T00:00:00Z"),
    ])
    func `are written as ISO 8601, as exact as they are`(seconds: Double, text: String) throws {
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        #expect(try Self.codec.encode(date) == "\"\(text)\"")
        #expect(try Self.codec.decode(Date.self, from: "\"\(text)\"") == date)
        #expect(try Self.codec.encode(["a": [date]]) == "{\"a\":[\"\(text)\"]}")
    }

    @Test(arguments: [252_423_993_600, -63_113_904_000.5, 1e17, -1e300, 1e-9, -0.000_01, 1.5e16, -0.0])
    func `that have no such text are written as numbers`(seconds: Double) throws {
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        let text = try Self.codec.encode(date)
        #expect(text == (try Self.older.encode(date)))
        #expect(!text.contains("\""))
        let again = try Self.codec.decode(Date.self, from: text).timeIntervalSinceReferenceDate
        #expect(again.bitPattern == seconds.bitPattern)
    }

    @Test func `are the same after encoding and decoding, to the last bit`() throws {
        var random = SplitMix(seed: 7)
        for index in 0..<20_000 {
            let range: ClosedRange<Double> =
                index.isMultiple(of: 3) ? -63e9...252e9 : index.isMultiple(of: 2) ? 0...1e9 : -100...100
            let date = Date(timeIntervalSinceReferenceDate: Double.random(in: range, using: &random))
            let text = try Self.codec.encode([date])
            #expect(try Self.codec.decode([Date].self, from: text) == [date], "\(text)")
            #expect(try Self.older.decode([Date].self, from: text) == [date])
            #expect(try Self.codec.decode([Date].self, from: Self.older.encode([date])) == [date])
        }
    }

    @Test func `have the same text from Foundation's coders`() throws {
        /// Reads its path, so that Foundation codes the whole value.
        struct Slow: Codable, Equatable {
            var date: Date

            init(date: Date) { self.date = date }

            init(from decoder: any Decoder) throws {
                _ = decoder.codingPath
                date = try decoder.singleValueContainer().decode(Date.self)
            }

            func encode(to encoder: any Encoder) throws {
                _ = encoder.codingPath
                var container = encoder.singleValueContainer()
                try container.encode(date)
            }
        }
        for seconds in [0, 0.25, -0.25, 785_332_800.123_456, 1e17] {
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            let text = try Self.codec.encode([Slow(date: date)])
            #expect(text == (try Self.codec.encode([date])))
            #expect(try Self.codec.decode([Slow].self, from: text) == [Slow(date: date)])
            #expect(try Self.codec.decode([Slow].self, from: Self.older.encode([date])) == [Slow(date: date)])
        }
    }

    @Test(arguments: [
        ("2025-11-20T13:00:00+01:00", 785_332_800), ("2025-11-20T10:30:00-01:30", 785_332_800),
        ("2025-11-20T12:00:00.500000Z", 785_332_800.5),
    ])
    func `are read with an offset and with further zeros`(text: String, seconds: Double) throws {
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        #expect(try Self.codec.decode(Date.self, from: "\"\(text)\"") == date)
    }

    @Test(arguments: [
        "", "2025-11-20", "2025-11-20T12:00Z", "2025-11-20T12:00:00", "2025-11-20 12:00:00Z", "2025-02-29T12:00:00Z",
        "2025-13-01T12:00:00Z", "2025-11-20T24:00:00Z", "2025-11-20T12:00:60Z", "2025-11-20T12:00:00.Z",
        "2025-11-20T12:00:00ZZ", "0000-01-01T00:00:00Z", "2025-11-20T12:00:00+1:00", "now",
    ])
    func `are not read from other texts`(text: String) {
        #expect(throws: DecodingError.self) { try Self.codec.decode(Date.self, from: "\"\(text)\"") }
    }
}

@Suite struct `A journal with dates in the older form` {
    private enum Action: Codable, Sendable, Equatable {
        case book(Date)
        case copy(Date)
        case done(Date)
    }

    private struct Diary: Codable, Sendable, Equatable {
        var dates: [Date] = []
        var done: [Date] = []
    }

    private static func diary(_ codec: JSONCodec, _ body: @escaping @Sendable () async throws -> Void)
        -> Machine<Action, Diary, Void>
    {
        var machine = Machine<Action, Diary, Void>("diary", initialState: Diary()) { action, state, _ in
            switch action {
            case .book(let date):
                state.dates.append(date)
                return .next(.copy(date))
                    + .run("remind", id: date) {
                        try await body()
                        return .done(date)
                    }
            case .copy(let date): state.dates.append(date)
            case .done(let date): state.done.append(date)
            }
            return .none
        }
        machine.codec = codec
        return machine
    }

    @Test func `verifies, continues its effects and recognizes repeated dispatches`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        let date = Date(timeIntervalSinceReferenceDate: 785_332_800.25)
        var journal = try openJournal(path)
        let older = Self.diary(JSONCodec(dates: .secondsSince2001)) { try await Task.sleep(for: .seconds(1_000_000)) }
        var store = try await journal.open(older, stream: "a")
        try await store.dispatch(.book(date), id: "once")
        try await journal.close()
        let shell = try Shell(path, readOnly: true)
        #expect(try shell("SELECT action FROM entry") == [#"{"book":{"_0":785332800.25}}"#])

        journal = try openJournal(path)
        store = try await journal.open(Self.diary(JSONCodec()) {}, stream: "a")
        #expect(try await store.dispatch(.book(date), id: "once").step == 1)
        _ = try await store.dispatch(.copy(date)) { $0.done == [date] }
        try await store.flush()
        #expect(store.state.dates == [date, date, date])
        #expect(try store.replayer().verify().divergence == nil)
        #expect(try await journal.verify().isSound)
        #expect(
            try shell("SELECT action FROM entry WHERE step > 1 ORDER BY action")
                == [#"{"copy":{"_0":"2025-11-20T12:00:00.25Z"}}"#, #"{"done":{"_0":"2025-11-20T12:00:00.25Z"}}"#])
        #expect(
            try shell("SELECT effect_id, status FROM effect_run") == [
                "{\"\(StoredName.of(Date.self))\":785332800.25}|completed"
            ])
        try await journal.close()
    }
}
