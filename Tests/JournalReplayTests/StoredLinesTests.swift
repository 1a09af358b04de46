import Testing

@testable import JournalReplayKit

@Suite struct `Stored JSON for people` {
    @Test func `has a member on each line, and what is short on one`() {
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
    func `is one line where it is one value`(text: String, lines: [String]) {
        #expect(StoredJSON.lines(text, width: 10) == lines)
    }

    @Test func `leaves room for the comma`() {
        #expect(StoredJSON.lines("[[1,2],[3]]", width: 9) == ["[", "  [1, 2],", "  [3]", "]"])
        #expect(StoredJSON.lines("[[1,2],[3]]", width: 8) == ["[", "  [", "    1,", "    2", "  ],", "  [3]", "]"])
    }

    @Test(arguments: [0, 1, 7, 40, 1_000])
    func `says the same at any width`(width: Int) throws {
        let text = #"{"a":[1,{"b":[[],{}]},"x"],"c":{"d":null,"e":[true,-1.5e+3]}}"#
        let lines = try #require(StoredJSON.lines(text, width: width))
        #expect(StoredJSON.compact(lines.joined(separator: "\n")) == text)
    }

    @Test func `is safe, and none where the text is none`() {
        #expect(StoredJSON.lines("[\"\u{9B}2J\"]", width: 40) == ["[", #"  "\u009b2J""#, "]"])
        #expect(StoredJSON.lines("no JSON", width: 40) == nil)
    }
}

@Suite struct `An action in a few words` {
    @Test(arguments: [
        (#""pay""#, "pay"), (#"{"pay":{}}"#, "pay"),
        (#"{ "add" : {"item":"Tea", "price":3} }"#, #"add item: "Tea", price: 3"#),
        (#"{"set":{"_0":5}}"#, "set 5"), (#"{"set":{"_0":{"a":[1,{"b":2}]}}}"#, "set a: [1, {b: 2}]"),
        (#"{"set":{"a b":1,"c,":"x:y,{"}}"#, #"set "a b": 1, "c,": "x:y,{""#), (#"{"a":1,"b":2}"#, #"{"a":1,"b":2}"#),
        ("[1,2]", "[1,2]"), ("17", "17"), (#"{"\u0007":null}"#, #"\u0007 null"#),
        ("no\n\u{1B}[2JJSON", #"no\n\u001b[2JJSON"#),
        (#"{"count":3}"#, "count 3"), ("{}", "{}"), (#"{"say":"a\"b"}"#, #"say "a\"b""#),
    ])
    func `is its name and what it carries`(action: String, short: String) {
        #expect(ShortAction.of(action) == short)
    }

    @Test func `is its name alone where it carries much`() {
        #expect(ShortAction.of(#"{"import":{"rows":["# + String(repeating: "1,", count: 3_000) + "1]}}") == "import …")
        #expect(ShortAction.of(String(repeating: "\u{1B}", count: 5_000)).count == 200 * 6 + 2)
    }
}
