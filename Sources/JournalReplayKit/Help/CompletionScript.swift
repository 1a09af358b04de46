/// A script that teaches a shell the table.
struct CompletionScript {
    let table: CommandTable

    func lines(for shell: Shell) -> [String] {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    /// The commands of one word. What a second word adds has no options of its own.
    var words: [Command] {
        table.commands.filter { !$0.name.contains(" ") }
    }

    /// A function's name that every shell takes.
    var function: String {
        "_" + String(table.program.map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }

    func remark(_ shell: Shell) -> String {
        "# Completions of \(table.program) for \(shell.rawValue), made by: "
            + "\(table.program) \("--" + Shell.option.name) \(shell.rawValue)"
    }

    /// What may stand in the place of an argument.
    func completion(of positional: Positional) -> Completion {
        positional.completion == .commands ? .words(words.map(\.name)) : positional.completion
    }

    /// The text between single quotes, for a shell in which a quote inside ends the text.
    static func quote(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}
