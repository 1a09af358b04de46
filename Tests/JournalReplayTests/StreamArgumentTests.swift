import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `The stream as an argument` {
    struct Case: CustomTestStringConvertible {
        var line: String
        var stream: String?
        var step: String?
        var testDescription: String { line }
        var words: [String] { line.split(separator: " ").map(String.init) }
    }

    @Test(arguments: [
        Case(line: "state x.db"), Case(line: "state x.db cart", stream: "cart"),
        Case(line: "state x.db 4", step: "4"), Case(line: "state x.db last", step: "last"),
        Case(line: "state x.db 2025-12-31", step: "2025-12-31"),
        Case(line: "state x.db cart 4", stream: "cart", step: "4"),
        Case(line: "state x.db 17 4", stream: "17", step: "4"),
        Case(line: "state x.db 4 --stream 17", stream: "17", step: "4"),
        Case(line: "show x.db 4", step: "4"), Case(line: "show x.db 17 4", stream: "17", step: "4"),
        Case(line: "log x.db 17", stream: "17"), Case(line: "walk x.db cart last", stream: "cart", step: "last"),
        Case(line: "state x.db cart --stream cart", stream: "cart"),
        // After `--`, a word is no second word of a command.
        Case(line: "effects -- x.db show", stream: "show"), Case(line: "effects show -- x.db show 4.0", stream: "show"),
    ])
    func `is the word after the file; a lone step is a step, whatever the streams are called`(_ example: Case) throws {
        guard case .run(_, let arguments) = try Parser.parse(example.words, .tool) else {
            Issue.record("It is no command to run.")
            return
        }
        #expect(try arguments.namedStream() == example.stream)
        #expect(arguments.positionals["STEP"] == example.step)
    }

    @Test(arguments: [
        (
            "show x.db cart",
            "STEP must be 'last' or a step of 1 or more, not 'cart'. If this is the stream, STEP goes after it."
        ),
        ("show x.db 4 cart", "STEP must be 'last' or a step of 1 or more, not 'cart'. The stream goes before it."),
        (
            "diff x.db cart 1",
            "If 'cart' is the stream, B is missing; as A, it must be \(Place.expected)."
        ),
        ("diff x.db cart last", "If 'cart' is the stream, B is missing; as A, it must be \(Place.expected)."),
        ("diff x.db cart other", "A must be \(Place.expected), not 'cart'. If this is the stream, A goes after it."),
        ("diff x.db cart 1 x", "B must be \(Place.expected), not 'x'."),
        ("show x.db", "STEP is missing."), ("show", "FILE is missing."),
        ("state x.db a 1 2", "Unexpected argument '2'."),
    ])
    func `in the wrong place is reported with the right one`(line: String, message: String) {
        let words = line.split(separator: " ").map(String.init)
        let error = #expect(throws: UsageError.self) { try Parser.parse(words, .tool) }
        #expect(error?.description == message)
    }

    @Test(arguments: ["9007199254740993", "9223372036854775807"])
    func `leaves a step that is too large apart from 'last'`(number: String) async throws {
        let accounts = try await Fixture().accountsKept()
        for line in [
            ["show", accounts.path, "a", number], ["state", accounts.path, "a", number],
            ["diff", accounts.path, "a", "1", number], ["skip", accounts.path, "a", number, "--yes"],
            ["snapshot", accounts.path, "a", "--at", number],
        ] {
            let result = try await Tool.run(program: Tool.app, line)
            #expect(result.status == 66, "\(line)")
            #expect(result.output == "")
            #expect(result.error.contains("The stream ends at step 8."), "\(line): \(result.error)")
        }
    }

    @Test func `is the same as the option`() async throws {
        let accounts = try await Fixture().accountsKept()
        for line in [
            ["show", accounts.path, "a", "6"], ["state", accounts.path, "a", "4"],
            ["diff", accounts.path, "a", "3", "4"],
            ["log", accounts.path, "a"], ["effects", accounts.path, "a"],
            ["effects", "show", accounts.path, "a", "6.0"],
            ["snapshots", accounts.path, "a"], ["bisect", accounts.path, "a", "--where", "balance < 0"],
            ["prune", accounts.path, "a", "--before", "3"], ["snapshot", accounts.path, "a"],
            ["retry", accounts.path, "a", "6.0"], ["verify", accounts.path, "a", "--replay-only"],
        ] {
            let positional = try await Tool.run(program: Tool.app, line)
            let option = try await Tool.run(program: Tool.app, line.filter { $0 != "a" } + ["--stream=a"])
            #expect(positional == option, "\(line)")
            #expect(!positional.error.contains("Usage:"), "\(positional.error)")
        }
        let unknown = try await Tool.inApp("log", accounts.path, "aa")
        #expect(unknown.status == 66)
        #expect(unknown.error.contains("There is no such stream. Did you mean 'a'?"))
    }

    @Test func `a stream whose name reads as a step is refused with a hint`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        for name in ["17", "a"] { try await journal.openStream(name, machine: "m").append("1") }
        try await journal.close()
        for command in ["state", "show"] {
            let result = try await Tool.run(command, fixture.path("shop.db"), "17")
            #expect(result.status == 64)
            let hint = "name one after FILE: 17, a. '17' was read as the step: --stream=17 names the stream.\n"
            #expect(result.error.contains(hint), "\(result)")
        }
        for line in [["cancel", "17"], ["effects", "show", "17"], ["retry", "17", "--name", "mail"]] {
            let place = line[0] == "effects" ? 2 : 1
            let words = Array(line[..<place]) + [fixture.path("shop.db")] + Array(line[place...])
            let result = try await Tool.run(program: Tool.path, words)
            #expect(result.status == 64)
            #expect(result.error.contains("'17' was read as the effect: --stream=17 names the stream.\n"), "\(result)")
        }
        let diff = try await Tool.run("diff", fixture.path("shop.db"), "17", "1")
        #expect(diff.error.contains("'17' was read as the step: --stream=17 names the stream.\n"), "\(diff)")
    }

    @Test func `is shown as it can be typed`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        for name in ["a b", "-x", "line\nbreak"] { try await journal.openStream(name, machine: "m").append("1") }
        try await journal.close()
        let several = try await Tool.run("show", fixture.path("shop.db"), "1")
        #expect(several.status == 64)
        #expect(several.error.contains(#"name one after FILE: 'a b', --stream=-x, $'line\nbreak'."#), "\(several)")
        // The name as the output shows it is not the name.
        let shown = try await Tool.run("log", fixture.path("shop.db"), #"line\nbreak"#)
        #expect(shown.status == 66)
        #expect(shown.error.contains(#"Did you mean $'line\nbreak'? "#), "\(shown)")
    }

    @Test func `cannot be left out if there is none`() async throws {
        let fixture = try Fixture()
        try await fixture.open().close()
        for line in [["state"], ["show", "1"], ["bisect", "--where", "a"]] {
            let result = try await Tool.run(
                program: Tool.path, [line[0], fixture.path("shop.db")] + line.dropFirst())
            #expect(result.status == 66)
            #expect(
                result.error
                    == "Error: \(fixture.path("shop.db")): The journal has no stream yet. The app creates a stream when it opens it. "
                    + "[unknown-stream]\n")
        }
    }

    @Test func `is refused if the option names another one`() async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.inApp("log", accounts.path, "a", "--stream=b")
        #expect(result.status == 64)
        #expect(result.error.hasPrefix("Error: Two streams are named: 'a' and 'b'.\nUsage: "))
        // A command that changes something must not leave out one of them without a word.
        let twice = try await Tool.inApp("cancel", accounts.path, "--stream=a", "--stream=b", "--status=live")
        #expect(twice.status == 64)
        #expect(twice.error.hasPrefix("Error: '--stream' is given twice.\nUsage: "))
        let same = try await Tool.inApp("log", accounts.path, "a", "--stream=a")
        #expect(same.status == 0)
    }

    @Test func `can be several for a page, as its help says`() async throws {
        let accounts = try await Fixture().accountsKept()
        let page = accounts.fixture.path("page.html")
        let result = try await Tool.run("page", accounts.path, "--stream=a", "--stream=b", "--out", page, "--json")
        #expect(try objects(result.output).first?["streams"] as? Int == 2)
        for command in ["page", "serve"] {
            let help = try await Tool.run("help", command)
            #expect(
                help.output.replacing(/\s+/, with: " ").contains("an option or a command. May be given several times."))
        }
    }
}
