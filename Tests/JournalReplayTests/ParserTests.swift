import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `The parser` {
    private func arguments(_ line: String...) throws -> Arguments {
        guard case .run(_, let arguments) = try Parser.parse(line, .tool) else {
            Issue.record("\(line) runs no command")
            return Arguments()
        }
        return arguments
    }

    @Test(arguments: [
        ["log", "--last", "5", "x.db"], ["log", "--last=5", "x.db"], ["log", "-n", "5", "x.db"],
        ["log", "-n5", "x.db"], ["log", "-n=5", "x.db"],
        ["log", "x.db", "-n", "5"], ["log", "-n", "5", "--", "x.db"],
    ])
    func `accepts a value in every usual form`(line: [String]) throws {
        guard case .run(let command, let arguments) = try Parser.parse(line, .tool) else { throw Unexpected() }
        #expect(command.name == "log")
        #expect(arguments[LogOptions.last] == 5)
        #expect(arguments[.file] == "x.db")
    }

    @Test func `accepts several short options in one word`() throws {
        let given = try arguments("log", "-fn5", "x.db")
        #expect(given[LogOptions.follow])
        #expect(given[LogOptions.last] == 5)
        #expect(try arguments("log", "-fn=5", "x.db")[LogOptions.last] == 5)
    }

    @Test func `accepts options before the command`() throws {
        let given = try arguments("--json", "--color", "never", "info", "x.db")
        #expect(given[Flag.json])
        #expect(given[ColorChoice.option] == .never)
    }

    @Test func `keeps all values of an option that is given several times`() throws {
        let given = try arguments("log", "--origin", "effect", "x.db", "--origin=restart")
        #expect(given.all(LogOptions.origin) == [.effect, .restart])
    }

    @Test func `accepts a flag that is given twice`() throws {
        #expect(try arguments("log", "--json", "-f", "x.db", "--json", "--follow")[LogOptions.follow])
    }

    @Test func `accepts options before the second word of a command`() throws {
        let line = ["--json", "bisect", "x.db", "--from", "3", "--stream=a", "run", "true"]
        guard case .run(let command, let arguments) = try Parser.parse(line, .tool) else { throw Unexpected() }
        #expect(command.name == "bisect run")
        #expect(arguments[Command.bisectFrom] == 3)
        #expect(arguments[Flag.json])
    }

    @Test func `accepts any word as a file after two dashes`() throws {
        #expect(try arguments("info", "--", "--help")[.file] == "--help")
        #expect(try arguments("info", "-")[.file] == "-")
    }

    @Test func `accepts any value after an equals sign`() throws {
        #expect(try arguments("log", "x.db", "--grep=--json")[LogOptions.text] == "--json")
        #expect(try arguments("log", "x.db", "--grep=")[LogOptions.text] == "")
        #expect(try arguments("log", "x.db", "--grep=\u{301}=a")[LogOptions.text] == "\u{301}=a")
        let short = try arguments("page", "x.db", "-o=\u{301}=a")
        #expect(short.options["out"] == ["\u{301}=a"])
        #expect(try arguments("log", "x.db", "--grep", "-5=a")[LogOptions.text] == "-5=a")
        #expect(try arguments("log", "x.db", "--grep", "-fx")[LogOptions.text] == "-fx")
        #expect(try arguments("cancel", "x.db", "1.0", "--reason=-y")[OperatorReport.reason] == "-y")
    }

    @Test(arguments: [
        (["log", "x.db", "-h"], "log"), (["-h", "log"], "log"), (["log", "--nonsense", "--help"], "log"),
        (["help", "--help"], nil), (["--help"], nil), (["nonsense", "-h"], nil),
        (["help", "effects", "show", "-h"], "effects show"), (["effects", "show", "-h"], "effects show"),
        (["log", "-fh"], "log"),
    ])
    func `accepts a request for help anywhere on the line`(line: [String], name: String?) throws {
        guard case .help(let command) = try Parser.parse(line, .tool) else { throw Unexpected() }
        #expect(command?.name == name)
    }

    struct Unexpected: Error {}
}

@Suite struct `A wrong command line` {
    struct Case: CustomTestStringConvertible {
        var line: [String]
        var message: String
        var testDescription: String { line.joined(separator: " ") }

        init(_ line: String, _ message: String) {
            self.line = line.split(separator: " ").map(String.init)
            self.message = message
        }
    }

    @Test(arguments: [
        Case("", "A command is missing."),
        Case("lgo x.db", "Unknown command 'lgo'. Did you mean 'log'?"),
        Case("ver x.db", "Unknown command 'ver'. Did you mean 'verify'?"),
        Case("./x.db", "Unknown command './x.db'. The command goes before the file."),
        Case("log", "FILE is missing."),
        Case("backup x.db", "OUT is missing."),
        Case("info x.db y.db", "Unexpected argument 'y.db'."),
        Case("log --strem a x.db", "Unknown option '--strem'. Did you mean '--stream'?"),
        Case("log --strem=a x.db", "Unknown option '--strem'. Did you mean '--stream'?"),
        Case("log -json x.db", "Unknown option '-json'. Did you mean '--json'?"),
        Case("info --stream a x.db", "Unknown option '--stream'."),
        Case(
            "log x.db --stream",
            "'--stream' needs a value: --stream NAME. If the value begins with '-', write --stream=VALUE."),
        Case(
            "log --stream --json x.db",
            "'--stream' needs a value: --stream NAME. If the value begins with '-', write --stream=VALUE."),
        Case(
            "log --stream --last=\u{301} x.db",
            "'--stream' needs a value: --stream NAME. If the value begins with '-', write --stream=VALUE."),
        Case("log x.db -n", "'-n' needs a value: -n N. If the value begins with '-', write -n=VALUE."),
        Case("log --follow=yes x.db", "'--follow' takes no value."),
        Case("log --last many x.db", "'--last' takes a number of 1 or more, not 'many'."),
        Case("log --from 0 x.db", "'--from' takes a number of 1 or more, not '0'."),
        Case("log --to -1 x.db", "'--to' takes a number of 1 or more, not '-1'."),
        Case("log --last -1 x.db", "'--last' takes a number of 1 or more, not '-1'."),
        Case("log -n -1 x.db", "'--last' takes a number of 1 or more, not '-1'."),
        Case("log x.db -5", "Unknown option '-5'. Did you mean '-n 5'?"),
        Case("info x.db -5", "Unknown option '-5'."),
        Case("log x.db -1.5", "Unknown option '-1.5'."),
        Case("info -dash.db", "Unknown option '-dash.db'. If it is the name of a file, write ./-dash.db."),
        Case("info --dash.db", "Unknown option '--dash.db'. If it is the name of a file, write ./--dash.db."),
        Case("effects show x.db -1.0", "EFFECT must be an effect as `effects` lists them, such as 17.0, not '-1.0'."),
        Case("show x.db -1", "STEP must be 'last' or a step of 1 or more, not '-1'."),
        Case("skip x.db cart -1", "STEP must be 'last' or a step of 1 or more, not '-1'."),
        Case(
            "diff x.db 0 -1",
            "B must be a step of 0 or more, 'last', or a time such as 2025-12-31, 2025-12-31T23:59Z or 10m "
                + "(ten minutes ago), not '-1'."),
        Case(
            "state x.db -1",
            "STEP must be a step of 0 or more, 'last', or a time such as 2025-12-31, 2025-12-31T23:59Z or 10m "
                + "(ten minutes ago), not '-1'."),
        Case(
            "show x.db -9223372036854775808",
            "STEP must be 'last' or a step of 1 or more, not '-9223372036854775808'."),
        Case("log -n 9 x.db --last=5", "'--last' is given twice."),
        Case("streams x.db --where a --where b", "'--where' is given twice."),
        Case("--color never info x.db --color never", "'--color' is given twice."),
        Case("show x.db a --stream a --stream b", "'--stream' is given twice."),
        Case("bisect x.db --where a run b", "Unknown option '--where'."),
        Case("effects --status failed --all x.db show 3", "Unknown option '--all'."),
        Case("show x.db +5", "STEP must be 'last' or a step of 1 or more, not '+5'."),
        Case("show x.db 05", "STEP must be 'last' or a step of 1 or more, not '05'."),
        Case("log x.db --last +5", "'--last' takes a number of 1 or more, not '+5'."),
        Case(
            "effects show x.db 03.0",
            "EFFECT must be an effect as `effects` lists them, such as 17.0, not '03.0'. If this is the stream, EFFECT "
                + "goes after it."),
        Case(
            "effects show x.db 3.-0",
            "EFFECT must be an effect as `effects` lists them, such as 17.0, not '3.-0'. If this is the stream, EFFECT "
                + "goes after it."),
        Case("effects show x.db +3", "EFFECT must be an effect as `effects` lists them, such as 17.0, not '+3'."),
        Case("serve x.db --port +80", "'--port' takes a number from 1 to 65535, not '+80'."),
        Case(
            "page x.db --out x.html --states +5",
            "'--states' takes a number of 1 or more, 'all' or 'none', not '+5'."),
        Case(
            "state x.db --at -0",
            "'--at' takes a step of 0 or more, 'last', or a time such as 2025-12-31, 2025-12-31T23:59Z or 10m "
                + "(ten minutes ago), not '-0'."),
        Case("cancel x.db -1", "EFFECT must be an effect as `effects` lists them, such as 17.0, not '-1'."),
        Case(
            "log --last 99999999999999999999 x.db",
            "'--last' takes a number of 1 or more, not '99999999999999999999', which is too large."),
        Case(
            "show x.db cart 99999999999999999999",
            "STEP must be 'last' or a step of 1 or more, not '99999999999999999999', which is too large."),
        Case(
            "log --since yesterday x.db",
            "'--since' takes a time such as 2025-12-31, 2025-12-31T23:59Z or 10m (ten minutes ago), not 'yesterday'."),
        Case(
            "log --origin efect x.db",
            "'--origin' takes one of dispatched, effect, restart, machine, not 'efect'. Did you mean 'effect'?"),
        Case(
            "top x.db --interval 9223372036854775807",
            "'--interval' takes a number from 1 to 86,400, not '9223372036854775807'."),
        Case("top x.db --wait 86401", "'--wait' takes a number from 1 to 86,400, not '86401'."),
        Case(
            "cancel x.db 1.0 --yes --reason -y",
            "'--reason' needs a value: --reason TEXT. If the value begins with '-', write --reason=VALUE."),
        Case(
            "cancel x.db 1.0 --yes --reason -h",
            "'--reason' needs a value: --reason TEXT. If the value begins with '-', write --reason=VALUE."),
        Case(
            "log x.db --grep --help",
            "'--grep' needs a value: --grep TEXT. If the value begins with '-', write --grep=VALUE."),
        Case(
            "log x.db --grep -fn5",
            "'--grep' needs a value: --grep TEXT. If the value begins with '-', write --grep=VALUE."),
        Case("page x.db -o -n 5", "'-o' needs a value: -o OUT. If the value begins with '-', write -o=VALUE."),
        Case("info --color blue x.db", "'--color' takes one of auto, always, never, not 'blue'."),
        Case(
            "--generate-completion-script zhs",
            "'--generate-completion-script' takes one of bash, zsh, fish, not 'zhs'. Did you mean 'zsh'?"),
    ])
    func `is rejected with a message that names the error`(_ example: Case) {
        let error = #expect(throws: UsageError.self) { try Parser.parse(example.line, .tool) }
        #expect(error?.description == example.message)
    }

    @Test(arguments: [
        (["export", "x.db", ""], "OUT is empty."), (["info", ""], "FILE is empty."),
        (["page", "x.db", "-o", ""], "'-o' is empty: name a file."),
        (["state", "x.db", "--machine="], "'--machine' is empty: name a file."),
        (["log", "x.db", ""], "STREAM is empty."), (["bisect", "run", "x.db", ""], "COMMAND is empty."),
    ])
    func `does not have an empty argument`(line: [String], message: String) {
        let error = #expect(throws: UsageError.self) { try Parser.parse(line, .tool) }
        #expect(error?.description == message)
    }

    @Test func `has an argument that is not UTF-8`() async throws {
        let result = try await Tool.shell(#""$0" info "$(printf 'a\377b.db')""#)
        #expect(result.status == 64)
        #expect(result.error.hasPrefix("Error: The argument 'a\u{FFFD}b.db' is not valid UTF-8.\nUsage: "), "\(result)")
        let sign = try await Tool.run("info", "a\u{FFFD}b.db")
        #expect(sign.status == 66)
    }
}
