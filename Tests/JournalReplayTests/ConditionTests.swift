import Testing

@testable import JournalReplayKit

@Suite struct `Conditions and paths` {
    private let state = #"""
        {"balance": -7, "price": 1.50, "big": 9007199254740993, "name": "caf\u00e9", "open": true, "closed": false,
         "note": null, "a.b": {"c d": [1, 2, {"x": "y"}]}, "tags": ["new", "old"], "count": 3, "huge": 18446744073709551615, "empty": {}}
        """#

    @Test(arguments: [
        ("", nil), (".", nil), ("balance", "-7"), ("price", "1.50"), ("big", "9007199254740993"), ("name", "\"café\""),
        (#""a.b"."c d".2.x"#, "\"y\""), (#"["a.b"]["c d"][0]"#, "1"), (#""a.b"."c d".count"#, "3"), ("count", "3"),
        ("tags.count", "2"), ("tags[1]", "\"old\""), ("empty", "{}"), ("empty.count", "0"), ("note", "null"),
    ])
    func `a path selects a part, as it is stored`(path: String, part: String?) throws {
        let node = try #require(JSON(state))
        let found = try StatePath(path).part(of: node)
        #expect(found?.json == part ?? node.json)
    }

    @Test(arguments: [
        "none", "tags.2", "tags.-1", "balance.x", "note.x", "tags.x", "tags.+1", "tags.-0", "tags.00", "tags.1 ",
    ])
    func `a path can select nothing`(path: String) throws {
        #expect(try StatePath(path).part(of: #require(JSON(state))) == nil)
    }

    @Test(arguments: ["a..b", "a.", "..", ".a", "a[", "a[]", "a[0", "a]b", "\"a", "a\"b\"[", "a[0]b"])
    func `a text that is not a path is rejected`(path: String) {
        #expect(throws: StatePath.Mistake.self) { try StatePath(path) }
    }

    @Test(arguments: ["", "a.0.b", #""a.b"."c[0]"."d\"e".""."f g""#, #"["a]"]["\n."]"#])
    func `the description of a path is that path`(text: String) throws {
        let path = try StatePath(text)
        #expect(try StatePath(path.description) == path, "\(path)")
    }

    @Test(arguments: [
        ("balance < 0", true), ("balance<0", true), ("balance <= -7", true), ("balance > -7", false),
        ("balance == -7.0", true), ("balance != -7", false), ("price >= 1.5", true),
        ("big == 9007199254740993", true), ("big == 9007199254740992", false), ("big > 9007199254740992", true),
        ("huge == 18446744073709551615", true), ("huge > 18446744073709551614", true),
        ("huge < 99999999999999999999", true),
        ("balance > -10", true), ("balance > -6", false), ("balance < 1e2", true),
        (#"name == "café""#, true), ("name == café", true), ("name < dog", true), ("name < 3", false),
        ("open", true), ("closed", false), ("note", false), ("none", false), ("empty", true), ("open == true", true),
        ("note == null", true), ("none == null", true), ("none != 1", true), ("none < 1", false),
        ("tags contains new", true), ("containsOld", false), ("tags contains[1]", false),
        (#"tags contains "none""#, false), ("name contains af", true),
        (#"tags == ["new","old"]"#, true), (#""a.b" contains "c d""#, true), (#""a.b"."c d".2 == {"x":"y"}"#, true),
        (#""a.b"."c d".1 >= 2"#, true), ("balance contains 7", false),
    ])
    func `a condition holds or not`(condition: String, holds: Bool) throws {
        #expect(try Condition(condition).holds(in: #require(JSON(state))) == holds)
    }

    @Test(arguments: [
        ("at > 2026-01-01T12:00Z", true), ("at < 2026-01-01T12:01Z", true), ("at == 2026-01-01T13:00:30+0100", true),
        ("at == 2026-01-01t12:00:30z", true), ("at >= 2026-01-01T13:01+01:00", false),
        ("at < 2026-01-01T12:00+01:00", false),
        ("at != 2026-01-01T12:00:30.000Z", false), ("at > 2026-01-01", true), ("at > 2026-01-01T12", true),
        ("price > 12345678901234567890.12", true), ("price == 12345678901234567890.130", true),
        ("price < 12345678901234567890.2", true), ("debt < -0.10000000000000000001", true), ("debt > -0.2", true),
        ("zero == -0.0", true), ("zero == 0", true), ("whole == 9007199254740993.0", true),
        ("whole == 9007199254740992.0", false), ("version == 1.2.3", true), ("postcode == 8O05", true),
        (#"at == "2026-01-01T12:00:30""#, true), (#"at == "2026-01-01 12:00:30,00Z""#, true),
        ("at <= 2026-01-01T13:00:30+01", true), (#"at > "2026-01-01T12:00:30""#, false),
        ("day == 2026-01-01", true), ("day < 2026-01-01T00:00:00.5Z", true),
        ("past < 2026-01-01T00:00:00Z", true),
        ("past == 2001-01-01T00:00:01.5Z", false),
        ("early == 2001-01-01T00:00:01.5Z", true), ("early < 2001-01-01T00:00:01.25Z", false), ("past < x", false),
    ])
    func `dates are compared as times in each form that they have, and numbers by all their digits`(
        condition: String, holds: Bool
    ) throws {
        let state = """
            {"at":"2026-01-01T12:00:30Z","price":12345678901234567890.13,"debt":-0.10000000000000000002,"zero":0.00,
            "whole":9007199254740993,"version":"1.2.3","postcode":"8O05","day":"2026-01-01",
            "past":-63114076800,"early":1.5}
            """
        #expect(try Condition(condition).holds(in: #require(JSON(state))) == holds)
    }

    @Test(arguments: [("code == 8005", false), ("code != 8005", true), (#"code == "8005""#, true)])
    func `a number equals no text, as the help says`(condition: String, holds: Bool) throws {
        #expect(try Condition(condition).holds(in: #require(JSON(#"{"code":"8005"}"#))) == holds)
        #expect(Condition.language.contains("a number, which equals no text"))
    }

    @Test(arguments: [
        (". == waiting", true), (". != waiting", false), (".", true), ("!.", false), (". contains ait", true),
        (#"(. == "packed" || . == "waiting") && .<x"#, true),
    ])
    func `a condition can be on the whole state`(condition: String, holds: Bool) throws {
        #expect(try Condition(condition).holds(in: .text("waiting")) == holds)
    }

    @Test(arguments: [("name == O'Brien", true), (#"name contains "'""#, true), (#""'a'" == 1"#, true)])
    func `a single quote is a character inside a word and inside double quotes`(
        condition: String, holds: Bool
    ) throws {
        let state = try #require(JSON(#"{"name":"O'Brien","'a'":1}"#))
        #expect(try Condition(condition).holds(in: state) == holds)
    }

    @Test func `an error about a state without parts says how to write the state itself`() throws {
        #expect(
            try Condition("state == 3").hint(in: .text("waiting"))?.message
                == "There is no 'state' in the state, which is a text. Write '.' for the state itself.")
    }

    @Test func `a case of an enum with values that is compared with a word is shown as it is written`() throws {
        let state = try #require(JSON(#"{"phase":{"draft":{}},"tag":"x","limits":{"low":1,"high":2}}"#))
        #expect(
            try Condition("tag == x && phase == sold").hint(in: state)?.message
                == "'phase' is an object with the member 'draft', which equals no text. For a case of an enum write "
                + "'phase.sold'.")
        for condition in ["phase.draft", "tag == y", "phase != sold", "limits == low", "phase == 3"] {
            #expect(try Condition(condition).hint(in: state) == nil, "\(condition)")
        }
        #expect(try Condition(". == sold").hint(in: #require(state["phase"]))?.message.hasSuffix("'sold'.") == true)
    }

    @Test func `a date in a state is compared with the seconds that another one is stored as`() throws {
        let state = try #require(JSON(#"{"at":"2001-01-01T00:01:00Z"}"#))
        for (condition, isTrue) in [("at > 59", true), ("at == 60.0", true), ("at < 60", false), ("at != 60", false)] {
            #expect(try Condition(condition).holds(in: state) == isTrue, "\(condition)")
            if condition.contains("!=") { continue }
            #expect(
                try Condition(condition).hint(in: state)?.message.hasPrefix("'at' is a time: a number is compared")
                    == true)
        }
        #expect(try Condition("at contains 60").hint(in: state)?.message.contains("contains no number") == true)
    }

    @Test func `a text that is compared with a number is shown with quotes`() throws {
        let state = try #require(JSON(#"{"postcode":"8005","count":1}"#))
        #expect(
            try Condition("count == 1 && postcode == 8005").hint(in: state)?.message
                == #"'postcode' is a text, which equals no number: write 'postcode == "8005"'."#)
        for condition in [#"postcode == "1""#, "count == 8005", "postcode != 8005"] {
            #expect(try Condition(condition).hint(in: state) == nil, "\(condition)")
        }
        #expect(
            try Condition("postcode > 8000").hint(in: state)?.message
                == #"'postcode' is a text, which is not compared with a number: write 'postcode > "8000"'."#)
        #expect(
            try Condition("postcode contains 80").hint(in: state)?.message
                == #"'postcode' is a text, which contains no number: write 'postcode contains "80"'."#)
        #expect(
            try Condition(#"count > "0""#).hint(in: state)?.message
                == "'count' is a number, which no text equals: write '0' without quotes.")
        #expect(try Condition(". == 7").hint(in: .text("7"))?.message.hasSuffix(#"'. == "7"'."#) == true)
    }

    @Test func `a number that is compared with the path to another part is compared with a text`() throws {
        let state = try #require(JSON(#"{"count":1,"inside":["a"],"name":"inside"}"#))
        for condition in ["count == inside.count", "name == x || !(count != inside.count)", "count > inside[0]"] {
            let text = condition.contains("[0]") ? "inside[0]" : "inside.count"
            let message =
                "'\(text)' is a text here, which no number equals: a condition compares a part of the state "
                + "with a value, not with another part. `bisect run` asks a program."
            #expect(try Condition(condition).misreading(in: state) == message, "\(condition)")
            #expect(try Condition(condition).hint(in: state)?.message == message, "\(condition)")
        }
        for condition in ["name == inside", "count == elsewhere", "count == .", "count == 2", "inside contains count"] {
            #expect(try Condition(condition).misreading(in: state) == nil, "\(condition)")
        }
    }

    @Test(arguments: [
        ("balance < 0 && open", true), ("balance < 0 && closed", false), ("balance > 0 || open", true),
        ("balance > 0 || closed", false), ("!closed", true), ("!open", false), ("!none", true), ("!!open", true),
        ("!(balance < 0)", false), ("!(closed || note)", true), ("(open)", true), ("((open) && !closed)", true),
        // && binds tighter than ||.
        ("open || closed && closed", true), ("(open || closed) && closed", false),
        ("balance<0&&open&&tags contains new", true), ("open&&!closed||note", true),
        (#"name == "café" && tags[0] == "new""#, true), (#"name == "a && b" || name == "(""#, false),
        (#"tags == ["new", "old"] && "a.b"["c d"][2] == {"x": "y"}"#, true), (#"["a.b"]["c d"][0] <= 1"#, true),
        ("  open  &&  ( balance   <   0 )  ", true), ("balance == -7 && name == café", true),
        ("open == true && note == null && big >= 9007199254740993", true),
    ])
    func `conditions are combined`(condition: String, holds: Bool) throws {
        #expect(try Condition(condition).holds(in: #require(JSON(state))) == holds)
    }

    @Test(arguments: [
        ("", 0, "a path is expected"), ("  ", 2, "a path is expected"), ("< 3", 0, "a path is expected"),
        ("a <", 3, "a value is expected"), ("a contains", 10, "a value is expected"),
        ("a b", 2, "an operator such as == or && is expected"),
        ("a ~ 3", 2, "an operator such as == or && is expected"),
        ("a == b c", 7, "an operator such as == or && is expected"),
        ("a.. < 3", 0, "a name or a number is missing"), ("x && a[", 6, "this bracket is not closed"),
        ("a == {\"b\": 1", 5, "this bracket is not closed"), ("a == [1}", 7, "this bracket was not opened"),
        ("a == \"b", 5, "a quote is not closed"), ("a == [1,]", 5, "this value is not JSON"),
        ("(a < 3", 6, "a parenthesis is not closed"), ("a < 3)", 5, "this parenthesis was not opened"),
        ("(a b)", 3, "&&, || or ) is expected"), ("a &&", 4, "a path is expected"),
        ("a || || b", 5, "a path is expected"), ("!a == 3", 5, "it is unclear what ! negates, write !(…)"),
        ("!", 1, "a path is expected"), ("()", 1, "a path is expected"),
        ("a =>1", 2, "this operator is written >="), ("a=<1", 1, "this operator is written <="),
        ("a > .5", 4, "a number is written as in JSON, such as 0.5 or 1000; a text is written in quotes"),
        ("a > 5.", 4, "a number is written as in JSON, such as 0.5 or 1000; a text is written in quotes"),
        ("a > 1_000", 4, "a number is written as in JSON, such as 0.5 or 1000; a text is written in quotes"),
        ("a == 1,000", 5, "a number is written as in JSON, such as 0.5 or 1000; a text is written in quotes"),
        ("a == 0x1F", 5, "a number is written as in JSON, such as 0.5 or 1000; a text is written in quotes"),
        ("a >= 010", 5, "a number is written as in JSON, such as 0.5 or 1000; a text is written in quotes"),
        ("a == +1.5", 5, "a number is written as in JSON, such as 0.5 or 1000; a text is written in quotes"),
        ("a = 1", 2, "this operator is written =="), ("a=1", 1, "this operator is written =="),
        ("a === 1", 2, "this operator is written =="), ("a !== 1", 2, "this operator is written !="),
        ("b && a => 1", 7, "this operator is written >="), ("e\u{301} == \"\u{301}", 5, "a quote is not closed"),
        ("a == 'b'", 5, "quotes are double: \"…\""), ("a contains 'b c'", 11, "quotes are double: \"…\""),
        ("x && 'a' == 1", 5, "quotes are double: \"…\""),
    ])
    func `a text that is not a condition is rejected, with the place`(text: String, offset: Int, reason: String) {
        let error = #expect(throws: Condition.Mistake.self) { try Condition(text) }
        #expect(error == Condition.Mistake(text: text, reason: reason, offset: offset))
        #expect(
            error?.message == "'\(text)' is not a condition: \(reason), at character \(offset + 1). "
                + "Examples: 'balance < 0', 'status == \"open\" && !closed'.")
    }

    @Test(arguments: [
        ("balance\t== -7", true), ("balance ==\t-7\t", true), ("balance == -7\n&& open == true", true),
        ("open\r\n&&\tclosed", false), ("tags contains\t\"new\"", true), ("tags\ncontains\nnone", false),
        ("name\u{A0}==\u{A0}café", true), ("!\tclosed\n", true),
    ])
    func `words end at any whitespace`(condition: String, holds: Bool) throws {
        #expect(try Condition(condition).holds(in: #require(JSON(state))) == holds)
    }

    @Test(arguments: ["\u{301}x", "\u{200D}x", "x && \u{301}", "\u{FE0F}"])
    func `a quote is one whatever follows it`(text: String) throws {
        let state = JSON.object([
            JSON.Member(key: "a", value: .text(text)), JSON.Member(key: text, value: .number("1")),
        ])
        #expect(try Condition("a == \"\(text)\" && \"\(text)\" == 1").holds(in: state))
        #expect(throws: Condition.Mistake.self) { try Condition("a == \"x\"\(text)") }
    }

    @Test func `a caret shows the place, also after wide characters`() {
        let error = #expect(throws: Condition.Mistake.self) { try Condition("漢 == 1 & b") }
        #expect(error?.picture == ["  漢 == 1 & b", "          ^"])
    }

    @Test(arguments: [
        ("a < 1e400", true), ("a == 1e400", false), ("b == 1e400", true), ("b == 1e500", false), ("b != 1e500", true),
        ("b <= 1e400", true), ("b <= 1e500", false), ("b > 1", true), ("c < 1", true), ("b == -1e400", false),
    ])
    func `numbers that a Double does not hold are equal only if they are written alike`(
        condition: String, holds: Bool
    ) throws {
        let state = try #require(JSON(#"{"a":1e300,"b":1e400,"c":-1e400}"#))
        #expect(try Condition(condition).holds(in: state) == holds)
    }

    @Test(arguments: ["&&", "||"]) func `a condition has any number of terms`(operation: String) throws {
        let term = operation == "&&" ? "balance < 0" : "balance > 0"
        let terms = Array(repeating: term, count: 100_000) + ["open"]
        let condition = try Condition(terms.joined(separator: operation))
        #expect(try condition.holds(in: #require(JSON(state))))
        #expect(condition.hint(in: .null) != nil)
    }

    @Test func `deep nesting is rejected`() {
        #expect(throws: Never.self) {
            try Condition(String(repeating: "(", count: 99) + "a" + String(repeating: ")", count: 99))
        }
        #expect(throws: Condition.Mistake.self) { try Condition(String(repeating: "(", count: 100_000)) }
        #expect(throws: Condition.Mistake.self) { try Condition(String(repeating: "!", count: 100_000) + "a") }
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

    @Test(arguments: [
        (#"at >= "2026-01-01T10:00:00Z""#, true), (#"at > "2026-01-01T10:00:00.25Z""#, false),
        (#"at == "2026-01-01T11:00:00.250+01:00""#, true), (#"at < "2026-01-01T10:00:01Z""#, true),
        (#"at < "2026-01-01T10:00:00Z""#, false), (#"at < "2026-01-01T10:00:00.250000001Z""#, true),
        (#"at < "tomorrow""#, true),
        (#"word contains "é""#, true), (#"word contains "e\u0301""#, true), (#"word contains "\n""#, true),
        (#"word contains "x""#, false),
    ])
    func `dates are compared as times, and texts contain characters in either form`(condition: String, holds: Bool)
        throws
    {
        let state = try #require(JSON(#"{"at": "2026-01-01T10:00:00.25Z", "word": "cafe\u0301\r\n"}"#))
        #expect(try Condition(condition).holds(in: state) == holds)
    }
}
