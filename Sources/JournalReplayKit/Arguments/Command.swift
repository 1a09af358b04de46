import JournalStore

/// One command: its row in the table, and what it does.
struct Command: Sendable {
    /// What a command is given.
    enum Work: Sendable {
        /// Reads the journal that the argument FILE names.
        case reading(@Sendable (Arguments, JournalReader, Output) async throws -> ExitCode)
        /// The same, with the machines that are known.
        case replaying(@Sendable (Arguments, JournalReader, Output, Machines) async throws -> ExitCode)
        /// Reads no journal.
        case free(@Sendable (Arguments, Output) async throws -> ExitCode)
        /// Tells of the table itself.
        case help
    }

    var name: String
    /// One line for the list of commands.
    var summary: String
    /// What there is to say beyond the summary and the options.
    var discussion = ""
    var positionals: [Positional]
    var options: [any OptionRow] = []
    /// The keys of its JSON.
    var keys: [KeyRow] = []
    var work: Work
}

/// An argument that is known by its place.
struct Positional: Sendable {
    /// In capitals, as help shows it.
    let name: String
    let help: String
    var completion = Completion.files
    var isOptional = false

    /// The journal that a command reads.
    static let file = Positional(name: "FILE", help: "The journal's database file.")
}

/// All commands, and the options that are no command's own.
struct CommandTable: Sendable {
    /// The name the program is called by.
    var program: String
    /// One line for the head of the help.
    var summary: String
    var commands: [Command]
    /// For each command but help.
    var common: [any OptionRow]
    /// For the program as a whole.
    var global: [any OptionRow]

    func command(_ name: String) -> Command? {
        commands.first { $0.name == name }
    }

    func unknownCommand(_ name: String) -> UsageError {
        var error = UsageError(
            "Unknown command '\(name)'.", suggestion: Suggestion.closest(to: name, among: commands.map(\.name)))
        if error.suggestion == nil, name.contains(where: { $0 == "/" || $0 == "." }) {
            error.message += " The command goes before the file."
        }
        return error
    }

    /// What may be given to a command; to none yet where it is nil.
    func options(for command: Command?) -> [any OptionRow] {
        guard let command else { return common + global }
        return command.options + (command.isHelp ? [] : common) + [Flag.help]
    }
}

extension Command {
    var isHelp: Bool {
        if case .help = work { true } else { false }
    }
}
