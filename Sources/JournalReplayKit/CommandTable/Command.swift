import JournalStore

/// One command: what the parser, the help and the completions know about it, and its implementation.
struct Command: Sendable {
    /// The implementation, by the input it needs.
    enum Work: Sendable {
        /// Reads the journal that the argument FILE names.
        case reading(@Sendable (Arguments, JournalReader, Output) async throws -> ExitCode)
        /// The same, and can replay streams with the known machines.
        case replaying(@Sendable (Arguments, JournalReader, Output, Machines) async throws -> ExitCode)
        /// Answers the requests of another process with the known machines.
        case answering(@Sendable (Machines) async throws -> ExitCode)
        /// Reads no journal.
        case free(@Sendable (Arguments, Output) async throws -> ExitCode)
        /// Shows the help, which is made from the command table.
        case help
    }

    var name: String
    /// One line for the list of commands.
    var summary: String
    /// The help's text between the usage line and the arguments.
    var discussion = ""
    var positionals: [Positional]
    var options: [any OptionRow] = []
    /// Whether it needs a person at a terminal, and so has no JSON output.
    var isInteractive = false
    /// The keys of its JSON output.
    var keys: [KeyRow] = []
    /// The keys of the objects that it writes before that one, and what each is about.
    var lines: (about: String, keys: [KeyRow])?
    var work: Work
}

/// All commands, and the options that do not belong to a single command.
struct CommandTable: Sendable {
    /// The command that people type to call the program.
    var program: String
    var tool: ToolName { ToolName(text: program) }
    /// The first line of the help.
    var summary: String
    var commands: [Command]
    /// The commands for this program's own processes; the help does not list them.
    var hidden: [Command] = []
    /// The options of every command except `help`.
    var common: [any OptionRow]
    /// The options of the program as a whole.
    var global: [any OptionRow]

    func command(_ name: String) -> Command? {
        (commands + hidden).first { $0.name == name }
    }

    func unknownCommand(_ name: String) -> UsageError {
        var error = UsageError(
            "Unknown command '\(name)'.", suggestion: Suggestion.closest(to: name, among: commands.map(\.name)))
        if error.suggestion == nil, name.contains(where: { $0 == "/" || $0 == "." }) {
            error.message += " The command goes before the file."
        }
        return error
    }

    /// The options that a command accepts; for nil, those accepted before any command.
    func options(for command: Command?) -> [any OptionRow] {
        guard let command else { return common + global }
        let common = common.filter { !command.isInteractive || $0.name != Flag.json.name }
        return command.options + (command.isHelp ? [] : common) + [Flag.help]
    }
}

extension Command {
    var requiredOptions: [any OptionRow] { options.filter { $0.isRequired } }

    var isHelp: Bool {
        if case .help = work { true } else { false }
    }
}
