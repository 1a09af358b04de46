import JournalStore
import Testing

@Suite struct `The key of a run` {
    private struct Holder: Codable, Equatable { var run: RunKey }

    private func decode(_ text: String) throws -> RunKey { try JSONCodec().decode(Holder.self, from: text).run }

    @Test(arguments: [RunKey(step: 17, ordinal: 1), RunKey(step: 0), RunKey(step: .max, ordinal: .max)])
    func `is encoded as its text, and decoded from it`(_ key: RunKey) throws {
        let text = try JSONCodec().encode(Holder(run: key))
        #expect(text == #"{"run":"\#(key)"}"#)
        #expect(try decode(text) == key)
    }

    @Test(arguments: [
        "\"\"", #""17""#, #""17.""#, #"".1""#, #""17.1.1""#, #""-17.1""#, #""17.-1""#, #""+17.1""#, #""017.1""#,
        #"" 17.1""#, #""17.1\u0000""#, #""9223372036854775808.0""#, #""a.b""#, "17", "17.1", "null", "{}",
    ])
    func `is not decoded from any other text`(_ text: String) {
        #expect(throws: DecodingError.self) { try decode(#"{"run":\#(text)}"#) }
    }

    @Test(arguments: [("17", 0), ("17.0", 0), ("17.1", 1)])
    func `is parsed from a step, with or without an ordinal`(_ text: String, _ ordinal: Int) {
        #expect(RunKey(text) == RunKey(step: 17, ordinal: ordinal))
    }

    @Test(arguments: ["", "17.", ".1", "+17", "-17", "-0", "017", "17.-0", "17.+1", "17.01", " 17", "17.1.1", "١٧"])
    func `is parsed from digits only, without a zero before them`(_ text: String) {
        #expect(RunKey(text) == nil)
    }
}
