import Testing

@testable import JournalReplayKit

@Suite struct `Formatted JSON` {
    @Test func `has one member per line, and short values on one line`() {
        let text =
            #"{"items":[{"name":"Tea","price":3},{"name":"A longer name, {with} \"signs\"","price":12}],"total":15,"tags":[]}"#
        #expect(
            StoredJSON.lines(text, width: 40)?.joined(separator: "\n") == #"""
                {
                  "items": [
                    {"name": "Tea", "price": 3},
                    {
                      "name": "A longer name, {with} \"signs\"",
                      "price": 12
                    }
                  ],
                  "total": 15,
                  "tags": []
                }
                """#)
        #expect(
            StoredJSON.lines(text, width: 200)?.joined(separator: "\n") == #"""
                {
                  "items": [{"name": "Tea", "price": 3}, {"name": "A longer name, {with} \"signs\"", "price": 12}],
                  "total": 15,
                  "tags": []
                }
                """#)
    }

    @Test(arguments: [
        ("3", ["3"]), (" null ", ["null"]), ("{ }", ["{}"]), ("[]", ["[]"]), (#""a,:{b""#, [#""a,:{b""#]),
    ])
    func `is one line for a single value`(text: String, lines: [String]) {
        #expect(StoredJSON.lines(text, width: 10) == lines)
    }

    @Test func `leaves room for the comma`() {
        #expect(StoredJSON.lines("[[1,2],[3]]", width: 9) == ["[", "  [1, 2],", "  [3]", "]"])
        #expect(StoredJSON.lines("[[1,2],[3]]", width: 8) == ["[", "  [", "    1,", "    2", "  ],", "  [3]", "]"])
    }

    @Test(arguments: [0, 1, 7, 40, 1_000])
    func `has the same value at any width`(width: Int) throws {
        let text = #"{"a":[1,{"b":[[],{}]},"x"],"c":{"d":null,"e":[true,-1.5e+3]}}"#
        let lines = try #require(StoredJSON.lines(text, width: width))
        #expect(StoredJSON.compact(lines.joined(separator: "\n")) == text)
    }

    @Test func `is escaped, and nil if the text is not JSON`() {
        #expect(StoredJSON.lines("[\"\u{9B}2J\"]", width: 40) == ["[", #"  "\u009b2J""#, "]"])
        #expect(StoredJSON.lines("no JSON", width: 40) == nil)
    }
}

@Suite struct `The short form of an action` {
    @Test(arguments: [
        (#""pay""#, "pay"), (#"{"pay":{}}"#, "pay"),
        (#"{ "add" : {"item":"Tea", "price":3} }"#, #"add item: "Tea", price: 3"#),
        (#"{"set":{"_0":5}}"#, "set 5"), (#"{"set":{"_0":{"a":[1,{"b":2}]}}}"#, "set a: [1, {b: 2}]"),
        (#"{"set":{"a b":1,"c,":"x:y,{"}}"#, #"set "a b": 1, "c,": "x:y,{""#), (#"{"a":1,"b":2}"#, #"{"a":1,"b":2}"#),
        ("[1,2]", "[1,2]"), ("17", "17"), (#"{"\u0007":null}"#, #"\u0007 null"#),
        ("no\n\u{1B}[2JJSON", #"no\n\u001b[2JJSON"#),
        (#"{"count":3}"#, "count 3"), ("{}", "{}"), (#"{"say":"a\"b"}"#, #"say "a\"b""#),
    ])
    func `is its name and its values`(action: String, short: String) {
        #expect(ShortAction.of(action) == short)
    }

    @Test func `is only its name if the action is long`() {
        #expect(ShortAction.of(#"{"import":{"rows":["# + String(repeating: "1,", count: 3_000) + "1]}}") == "import …")
        #expect(ShortAction.of(String(repeating: "\u{1B}", count: 5_000)).count == 200 * 6 + 2)
    }

    @Test func `begins with 200 characters and has its length if a terminal shows it`() {
        let limit = String(repeating: "a", count: 4_000)
        #expect(ShortAction.beginning(of: limit) == limit)
        #expect(ShortAction.beginning(of: limit + "a") == "\(limit.prefix(200)) … (4,001 bytes)")
    }
}
