import Foundation
import Testing

@testable import JournalReplayKit

@Suite struct `The completion` {
    private static func find(_ shell: String) -> String? {
        let folders = ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
        return folders.map { "\($0)/\(shell)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    @Test(arguments: Shell.allCases)
    func `knows every command and every option`(shell: Shell) async throws {
        let result = try await Tool.run("--generate-completion-script", shell.rawValue)
        #expect(result.status == 0)
        #expect(result.error == "")
        for command in CommandTable.tool.commands {
            for option in command.options {
                #expect(
                    offers(option.name, after: command.name, result.lines, shell), "\(command.name) \(option.name)")
            }
            #expect(offers("help", after: command.name, result.lines, shell), "\(command.name)")
        }
    }

    @Test(arguments: Shell.allCases)
    func `knows the second words of commands, and which options belong to both words`(shell: Shell) async throws {
        let script = try await Tool.run("--generate-completion-script", shell.rawValue).lines
        for (first, second) in [("bisect", "run"), ("effects", "show")] {
            let line =
                switch shell {
                case .bash: "_journal_replay_offer_files \"$word\" '\(second)'"
                case .zsh: "'1:FILE:{ compadd -- \(second); _files }' \\"
                case .fish:
                    "complete -c journal-replay -n '\(Self.fishCondition(first))' -a \(second) -d "
                }
            #expect(script.contains { $0.trimmingCharacters(in: .whitespaces).hasPrefix(line) }, "\(first) \(second)")
        }
        #expect(!offers("where", after: "bisect run", script, shell))
        #expect(!offers("all", after: "effects show", script, shell))
        #expect(!offers("status", after: "effects show", script, shell))
        #expect(!offers("machine", after: "effects show", script, shell))
    }

    /// The condition that a command was typed. The words of `effects show` are commands of their own, too.
    private static func fishCondition(_ command: String) -> String {
        let (seen, unseen) = ("__fish_seen_subcommand_from ", "; and not __fish_seen_subcommand_from ")
        let others = ["bisect": "run", "effects": "show", "show": "effects"]
        return seen + command.replacing(" ", with: "; and " + seen) + (others[command].map { unseen + $0 } ?? "")
    }

    /// Whether a script offers an option after a command.
    private func offers(_ option: String, after command: String, _ script: [String], _ shell: Shell) -> Bool {
        guard shell != .fish else {
            let start = "complete -c journal-replay -n '\(Self.fishCondition(command))' -l \(option) "
            return script.contains { $0.hasPrefix(start) }
        }
        let label = command.contains(" ") ? "'\(command)')" : "\(command))"
        let part = script.drop { $0.trimmingCharacters(in: .whitespaces) != label }
            .prefix { $0.trimmingCharacters(in: .whitespaces) != ";;" }
        return part.contains { line in
            line.split { " '*[=".contains($0) }.contains("--\(option)")
        }
    }

    @Test(arguments: Shell.allCases.filter { find($0.rawValue) != nil })
    func `is a script that its shell can parse`(shell: Shell) async throws {
        let program = try #require(Self.find(shell.rawValue))
        let fixture = try Fixture()
        let script = fixture.path("completion")
        let text = try await Tool.run("--generate-completion-script", shell.rawValue).output
        try text.write(toFile: script, atomically: true, encoding: .utf8)
        let result = try await Tool.run(program: program, ["-n", script])
        #expect(result == Tool.Result(status: 0, output: "", error: ""))
    }

    @Test(
        .enabled(if: find("bash") != nil),
        arguments: [
            (
                "journal-replay ",
                CommandTable.tool.commands.map(\.name).filter { !$0.contains(" ") }.joined(separator: " ")
            ),
            ("journal-replay ver", "verify"),
            ("journal-replay log --or", "--origin"),
            ("journal-replay log --origin ", "dispatched effect restart machine"),
            ("journal-replay log --origin = e", "effect"),
            ("journal-replay log --origin =", "dispatched effect restart machine"),
            ("journal-replay log x.db --color a", "auto always"), ("journal-replay log --stream ", ""),
            ("journal-replay info ", ""), ("journal-replay help ba", "backup"),
            ("journal-replay --gen", "--generate-completion-script --generate-man-page"),
            ("journal-replay streams --sort ", "name steps created"),
            ("journal-replay bisect ru", "run"), ("journal-replay effects sho", "show"),
            ("journal-replay bisect --wh", "--where"), ("journal-replay bisect run --wh", ""),
            ("journal-replay bisect run --color a", "auto always"), ("journal-replay effects show --a", ""),
            ("journal-replay effects x.db show --st", "--stream"), ("journal-replay effects --st", "--stream --status"),
        ])
    func `in bash offers the words that fit the cursor position`(line: String, words: String) async throws {
        let driver = """
            eval "$("$1" --generate-completion-script bash)"
            shift
            COMP_WORDS=("$@")
            COMP_CWORD=$(($# - 1))
            _journal_replay
            echo "${COMPREPLY[*]}"
            """
        let typed = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        let bash = Self.find("bash") ?? "bash"
        let result = try await Tool.run(program: bash, ["-c", driver, "bash", Tool.path] + typed)
        #expect(result.lines == (words.isEmpty ? [] : [words]))
        #expect(result.error == "")
    }

    @Test(
        .enabled(if: find("bash") != nil),
        arguments: [
            ("shop ", "journal"), ("shop jo", "journal"), ("shop journal ver", "verify"), ("shop pay ver", ""),
            ("shop journal log --or", "--origin"), ("shop journal log --origin e", "effect"),
        ])
    func `in bash completes a tool that is a command of an app`(line: String, words: String) async throws {
        let script = CompletionScript(table: ReplayTool(program: "shop journal").table).lines(for: .bash)
        let driver = """
            eval "$1"
            shift
            COMP_WORDS=("$@")
            COMP_CWORD=$(($# - 1))
            _shop_journal
            echo "${COMPREPLY[*]}"
            complete -p shop
            """
        let typed = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        let bash = Self.find("bash") ?? "bash"
        let result = try await Tool.run(
            program: bash, ["-c", driver, "bash", script.joined(separator: "\n")] + typed)
        #expect(result.lines == (words.isEmpty ? [] : [words]) + ["complete -o default -F _shop_journal shop"])
        #expect(result.error == "")
    }

    @Test func `of a tool that is a command of an app is that of the app`() {
        let script = CompletionScript(table: ReplayTool(program: "shop journal").table)
        let zsh = script.lines(for: .zsh)
        #expect(zsh.first == "#compdef shop")
        #expect(zsh.contains { $0.contains("'*--origin=[") } && zsh.contains { $0.contains("'--grep=[") })
        #expect(zsh.contains("        compadd -- journal"))
        #expect(zsh.contains("    compdef _shop_journal shop"))
        let fish = script.lines(for: .fish)
        #expect(fish.dropFirst().allSatisfy { $0.hasPrefix("complete -c shop -n ") })
        #expect(fish.contains("complete -c shop -n __fish_use_subcommand -a journal"))
        let log =
            "complete -c shop -n '__fish_seen_subcommand_from journal; and __fish_seen_subcommand_from log' -l grep"
        #expect(fish.contains { $0.hasPrefix(log) })
    }

    @Test(
        .enabled(if: find("fish") != nil),
        arguments: [
            ("journal-replay ver", ["verify"]), ("journal-replay help ba", ["backup"]),
            ("journal-replay bisect ru", ["run"]), ("journal-replay effects --stat", ["--status"]),
            ("journal-replay effects show --stat", []),
            ("journal-replay log --origin ", ["dispatched", "effect", "machine", "restart"]),
            ("journal-replay --color always ver", ["verify"]),
        ])
    func `in fish offers the words that fit the cursor position`(line: String, words: [String]) async throws {
        let driver = "$argv[1] --generate-completion-script fish | source; complete -C $argv[2]"
        let fish = Self.find("fish") ?? "fish"
        let result = try await Tool.run(program: fish, ["--no-config", "-c", driver, Tool.path, line])
        #expect(result.lines.map { $0.prefix { $0 != "\t" } } == words.map { $0[...] })
    }
}
