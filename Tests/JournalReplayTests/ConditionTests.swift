import Testing

@testable import JournalReplayKit

@Suite struct `Conditions and paths` {
    private let state = #"""
        {"balance": -7, "price": 1.50, "big": 9007199254740993, "name": "caf\u00e9", "open": true, "closed": false,
         "note": null, "a.b": {"c d": [1, 2, {"x": "y"}]}, "tags": ["new", "old"], "count": 3, "huge": 18446744073709551615, "empty": {}}
        """#

    @Test(arguments: [
        ("", nil), ("balance", "-7"), ("price", "1.50"), ("big", "9007199254740993"), ("name", "\"café\""),
        (#""a.b"."c d".2.x"#, "\"y\""), (#"["a.b"]["c d"][0]"#, "1"), (#""a.b"."c d".count"#, "3"), ("count", "3"),
        ("tags.count", "2"), ("tags[1]", "\"old\""), ("empty", "{}"), ("empty.count", "0"), ("note", "null"),
    ])
    func `a path selects a part, as it is stored`(path: String, part: String?) throws {
        let node = try #require(JSON(state))
        let found = try StatePath(path).part(of: node)
        #expect(found?.json == part ?? node.json)
    }

    @Test(arguments: ["none", "tags.2", "tags.-1", "balance.x", "note.x", "tags.x"])
    func `a path can select nothing`(path: String) throws {
        #expect(try StatePath(path).part(of: #require(JSON(state))) == nil)
    }

    @Test(arguments: ["a..b", "a.", ".", "a[", "a[]", "a[0", "a]b", "\"a", "a\"b\"[", "a[0]b"])
    func `a text that is not a path is rejected`(path: String) {
        #expect(throws: StatePath.Mistake.self) { try StatePath(path) }
    }

    @Test(arguments: [
        ("balance < 0", true), ("balance<0", true), ("balance <= -7", true), ("balance > -7", false),
        ("balance == -7.0", true), ("balance = -7", true), ("balance != -7", false), ("price >= 1.5", true),
        ("big == 9007199254740993", true), ("big == 9007199254740992", false), ("big > 9007199254740992", true),
        ("huge == 18446744073709551615", true), ("huge > 18446744073709551614", true),
        ("huge < 99999999999999999999", true),
        ("balance > -10", true), ("balance > -6", false), ("balance < 1e2", true),
        (#"name == "café""#, true), ("name == café", true), ("name < dog", true), ("name < 3", false),
        ("open", true), ("closed", false), ("note", false), ("none", false), ("empty", true), ("open == true", true),
        ("note == null", true), ("none == null", true), ("none != 1", true), ("none < 1", false),
        ("tags contains new", true), (#"tags contains "none""#, false), ("name contains af", true),
        (#"tags == ["new","old"]"#, true), (#""a.b" contains "c d""#, true), (#""a.b"."c d".2 == {"x":"y"}"#, true),
        (#""a.b"."c d".1 >= 2"#, true), ("balance contains 7", false),
    ])
    func `a condition holds or not`(condition: String, holds: Bool) throws {
        #expect(try Condition(condition).holds(in: #require(JSON(state))) == holds)
    }

    @Test(arguments: ["", "  ", "< 3", "a <", "a b", "a ~ 3", "a.. < 3", "a contains"])
    func `a text that is not a condition is rejected, with examples`(text: String) {
        let error = #expect(throws: Condition.Mistake.self) { try Condition(text) }
        #expect(error?.message.hasPrefix("'\(text)' is not a condition: ") == true)
        #expect(error?.message.hasSuffix("Examples: 'balance < 0', 'status == \"open\"'.") == true)
    }

    @Test func `a text that is not JSON is rejected`() {
        for text in ["", "{", "[1,]", "{'a':1}", "nul"] { #expect(JSON(text) == nil) }
    }

    @Test func `objects are equal in any order of their keys`() throws {
        let left = try #require(JSON(#"{"a":1,"b":[{"c":null,"d":2.0}]}"#))
        let right = try #require(JSON(#"{"b":[{"d":2,"c":null}],"a":1}"#))
        #expect(left != right)
        #expect(left.isEqual(to: right))
        #expect(!left.isEqual(to: .null))
    }
}
