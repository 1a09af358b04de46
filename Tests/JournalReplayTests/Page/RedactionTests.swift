import Testing

@testable import JournalReplayKit

@Suite struct `Values that are left out of a page` {
    private func redaction(_ paths: String...) throws -> Redaction {
        Redaction(try paths.map { try StatePath($0) })
    }

    @Test(arguments: [
        ("card", #"{"pay":{"card":"1"},"card":{"x":1}}"#, #"{"pay":{"card":"‹left out›"},"card":"‹left out›"}"#),
        ("pay.card", #"{"pay":{"card":"1"},"card":2}"#, #"{"pay":{"card":"‹left out›"},"card":2}"#),
        (
            "items.*.price", #"{"items":[{"price":1,"name":2}],"price":3}"#,
            #"{"items":[{"price":"‹left out›","name":2}],"price":3}"#
        ),
        ("items.0", #"{"items":[1,2]}"#, #"{"items":["‹left out›",2]}"#),
        ("*", #"{"add":{"_0":1}}"#, #"{"add":"‹left out›"}"#),
        ("*", "5", #""‹left out›""#), ("*", #"[1,2]"#, #"["‹left out›","‹left out›"]"#),
        ("card", #""card""#, #""card""#),
        ("card", "card=1234", #""‹left out›""#),
        ("pay.card", #"{"pay":{"_0":{"card":1,"n":2}}}"#, #"{"pay":{"_0":{"card":"‹left out›","n":2}}}"#),
        (
            "pay.by.card", #"{"pay":{"_0":{"by":{"_0":{"card":1}}}}}"#,
            #"{"pay":{"_0":{"by":{"_0":{"card":"‹left out›"}}}}}"#
        ),
        ("pay._0", #"{"pay":{"_0":1,"_1":2}}"#, #"{"pay":{"_0":"‹left out›","_1":2}}"#),
        ("pay.card", #"{"pay":{"_0":{"with":{"card":1}}}}"#, #"{"pay":{"_0":{"with":{"card":1}}}}"#),
    ])
    func `are those that a path names at any depth`(path: String, text: String, rest: String) throws {
        #expect(try redaction(path).json(text) == rest)
    }

    @Test func `include errors, reasons and IDs, if any path is given`() throws {
        let some = try redaction("n")
        #expect(some.prose("card 1234 declined") == Redaction.mark)
        #expect(some.prose(nil) == nil)
        #expect(
            some.id(#"{"PaymentID":{"n":"a b","m":"c d"}}"#) == #"{"PaymentID":{"n":"‹left out›","m":"c d"}}"#)
        #expect(try redaction("*").id(#"{"String":"pay ment"}"#) == #"{"String":"‹left out›"}"#)
        #expect(some.id(#"PaymentID {"n":1}"#) == #""‹left out›""#)
        #expect(some.id(nil) == nil)
    }

    @Test func `include a state that is not JSON`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.shouts()
        for (number, options) in [[], ["--redact", "card"], ["--redact", "*"]].enumerated() {
            let page = fixture.path("\(number).html")
            let result = await Tool.here([ReplayMachine(shouting)], ["page", path, "--out", page] + options)
            #expect(result.status == 0, "\(result)")
            let data = try PageFile.data(page)
            #expect(data.contains("hunter2") == options.isEmpty, "\(options)")
            #expect(data.contains(Redaction.mark) == !options.isEmpty, "\(options)")
        }
    }

    @Test func `include why the states end`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.unknownAction()
        for (number, options) in [[], ["--redact", "card"]].enumerated() {
            let page = fixture.path("\(number).html")
            let result = try await Tool.run(program: Tool.app, ["page", path, "--out", page] + options)
            #expect(result.status == 0, "\(result)")
            #expect(result.error.contains("The states end after step 1: "), "\(result)")
            #expect(result.error.contains("not a Posting") == options.isEmpty, "\(result)")
            let data = try PageFile.data(page)
            #expect(data.contains("The states end after step 1: "), "\(options)")
            #expect(data.contains("not a Posting") == options.isEmpty, "\(options)")
        }
    }

    @Test func `are warned about if a path names nothing in the page`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.shop()
        let result = try await Tool.run(
            "page", path, "--out", fixture.path("p.html"), "--redact", "add", "--redact", "add.item", "--redact",
            "ad.item")
        #expect(result.status == 0, "\(result)")
        let warning = "No value in the page has the path of '--redact ad.item'."
        #expect(result.error.contains("Warning: \(warning)\n"), "\(result)")
        #expect(!result.error.contains("'--redact add"), "\(result)")
        let all = try await Tool.run("page", path, "--out", fixture.path("q.html"), "--redact", "*")
        #expect(!all.error.contains("No value in the page"), "\(all)")
    }

    @Test(arguments: ["", "."]) func `are not named by an empty path`(path: String) async throws {
        let fixture = try Fixture()
        let journal = try await fixture.counter(entries: 1)
        let result = try await Tool.run("page", journal, "--redact", path, "--out", fixture.path("p.html"))
        #expect(result.status == 64)
        #expect(result.error.contains("* for all values"), "\(result.error)")
    }

    @Test func `are none without a path`() throws {
        let none = try redaction()
        #expect(none.isEmpty)
        #expect(none.json("no JSON") == "no JSON")
        #expect(none.prose("why") == "why")
        #expect(none.id("String 1") == "String 1")
    }
}
