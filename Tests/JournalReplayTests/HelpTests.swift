import Testing

@testable import JournalReplayKit

@Suite struct `The help` {
    @Test(arguments: [["help"], ["--help"], ["-h"], ["help", "-h"]])
    func `of the program lists every command and every exit code`(line: [String]) async throws {
        let result = try await Tool.run(program: Tool.path, line)
        #expect(result.status == 0)
        #expect(result.error == "")
        for command in CommandTable.tool.commands { #expect(result.output.contains("  \(command.name) ")) }
        for status in ["0 ", "1 ", "64", "65", "66", "74"] { #expect(result.output.contains("\n  \(status)  ")) }
    }

    @Test(arguments: CommandTable.tool.commands.map(\.name))
    func `of a command lists its arguments, its options and its keys`(name: String) async throws {
        let result = try await Tool.run("help", name)
        let command = try #require(CommandTable.tool.command(name))
        #expect(result.status == 0)
        #expect(result.error == "")
        #expect(result.output.hasPrefix(command.summary + "\n\nUsage: journal-replay \(name) [OPTIONS]"))
        for option in CommandTable.tool.options(for: command) { #expect(result.output.contains("--\(option.name)")) }
        for positional in command.positionals { #expect(result.output.contains("  \(positional.name)  ")) }
        for key in command.keys {
            #expect(result.output.contains("  \(key.name) "))
            #expect(key.name.allSatisfy { $0.isLetter || $0.isNumber }, "written like all others: commitsPerSecond")
        }
    }

    @Test(arguments: CommandTable.tool.commands.map(\.name).filter { $0 != "help" })
    func `is the same for every way to ask for it`(name: String) async throws {
        let page = try await Tool.run("help", name)
        #expect(try await Tool.run(name, "--help") == page)
        #expect(try await Tool.run("-h", name, "--nonsense") == page)
    }

    @Test func `fits a terminal of 80 columns`() {
        let help = Help(table: .tool)
        for line in help.overview + CommandTable.tool.commands.flatMap(help.page) {
            #expect(line.count <= 80, "\(line)")
        }
    }

    @Test func `of an unknown command suggests one`() async throws {
        let result = try await Tool.run("help", "verfiy")
        #expect(result.status == 64)
        #expect(result.output == "")
        #expect(result.error.hasPrefix("Error: Unknown command 'verfiy'. Did you mean 'verify'?\nUsage: "))
    }

    @Test func `is mentioned if the command is missing`() async throws {
        let result = try await Tool.run()
        #expect(result.status == 64)
        #expect(result.output == "")
        #expect(
            result.error == """
                Error: A command is missing.
                Usage: journal-replay COMMAND [OPTIONS] FILE
                See 'journal-replay --help' for more.

                """)
    }

    @Test func `shows the name that the tool has inside an app`() {
        let table = ReplayTool(program: "shop journal").table
        #expect(Help(table: table).usage(.log) == "Usage: shop journal log [OPTIONS] FILE [STREAM]")
    }

    @Test(arguments: [
        ("bisect", "FILE [STREAM] --where CONDITION"), ("fork", "FILE [STREAM] OUT --at STEP|TIME"),
        ("prune", "FILE [STREAM] --before STEP"), ("page", "FILE [STREAM] --out OUT"), ("log", "FILE [STREAM]"),
    ])
    func `shows required options in the usage line and in their texts`(name: String, rest: String) throws {
        let command = try #require(CommandTable.tool.command(name))
        #expect(Help(table: .tool).usage(command) == "Usage: journal-replay \(name) [OPTIONS] \(rest)")
        for option in command.options { #expect(option.isRequired == option.help.hasSuffix(" Required.")) }
    }

    @Test(arguments: [
        (["log", "--strem", "a", "x.db"], "Error: Unknown option '--strem'. Did you mean '--stream'?", "log"),
        (["log", "-n", "many", "x.db"], "Error: '--last' takes a number of 1 or more, not 'many'.", "log"),
        (
            ["log", "--until", "noon", "x.db"],
            "Error: '--until' takes a time such as 2025-12-31, 2025-12-31T23:59Z or 10m (ten minutes ago), not 'noon'.",
            "log"
        ),
        (["backup", "x.db"], "Error: OUT is missing.", "backup"),
        (
            ["page", "--states", "0", "--out", "x.html", "x.db"],
            "Error: '--states' takes a number of 1 or more, 'all' or 'none', not '0'.", "page"
        ),
    ])
    func `is mentioned in a usage error`(line: [String], sentence: String, command: String) async throws {
        let result = try await Tool.run(program: Tool.path, line)
        #expect(result.status == 64)
        #expect(result.output == "")
        let lines = result.error.split(separator: "\n")
        #expect(lines.first == Substring(sentence))
        #expect(lines.dropFirst().first?.hasPrefix("Usage: journal-replay \(command) [OPTIONS] FILE") == true)
        #expect(lines.last == "See 'journal-replay \(command) --help' for more.")
    }

    @Test func `has the version in an option`() async throws {
        let result = try await Tool.run("--version")
        #expect(result == Tool.Result(status: 0, output: "journal-replay \(ReplayTool.version)\n", error: ""))
    }
}

@Suite struct `The manual page` {
    @Test func `has every command, option and word, and no line that man takes for a request`() async throws {
        let result = try await Tool.run("--generate-man-page")
        #expect(result.status == 0)
        #expect(result.error == "")
        for command in CommandTable.tool.commands {
            #expect(result.lines.contains(".SS \"\(ManPage.text(command.name))\""))
            for option in command.options {
                #expect(result.output.contains(ManPage.text("--" + option.name)))
                guard case .words(let words) = option.completion else { continue }
                #expect(result.output.contains("One of " + ManPage.text(words.joined(separator: ", ")) + "."))
            }
        }
        let fork = #"\fBjournal\-replay fork\fR [\fIOPTIONS\fR] \fIFILE\fR [\fISTREAM\fR] \fIOUT\fR"#
        #expect(result.lines.contains(fork + #" \fB\-\-at\fR \fISTEP|TIME\fR"#))
        let requests = Set(result.lines.filter { $0.hasPrefix(".") || $0.hasPrefix("'") }.map { $0.prefix(3) })
        #expect(
            requests.isSubset(of: [".\\\"", ".TH", ".SH", ".SS", ".B ", ".I ", ".TP", ".PP", ".nh"]), "\(requests)")
    }

    @Test(arguments: [("a-b", "a\\-b"), (".x", "\\&.x"), ("'x", "\\&'x"), ("a\\b", "a\\eb")])
    func `escapes what man would read`(_ text: String, _ escaped: String) {
        #expect(ManPage.text(text) == escaped)
    }
}
