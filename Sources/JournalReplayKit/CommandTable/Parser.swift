/// What a command line asks for.
enum Request: Sendable {
    /// Help for a command; for nil, for the whole program.
    case help(Command?)
    case version
    case completionScript(Shell)
    case manPage
    case run(Command, Arguments)
}

/// Parses a command line. Options and arguments may come in any order; `--` ends the options.
struct Parser {
    let table: CommandTable
    private var rest: ArraySlice<String> = []
    private var command: Command?
    private var given = Arguments()
    private var positionals: [String] = []

    init(_ table: CommandTable) {
        self.table = table
    }

    /// - Parameter line: The arguments after the program's name.
    static func parse(_ line: [String], _ table: CommandTable) throws(UsageError) -> Request {
        var parser = Parser(table)
        do throws(UsageError) {
            return try parser.parse(line)
        } catch {
            var error = error
            error.command = parser.command?.name
            throw error
        }
    }

    private mutating func parse(_ line: [String]) throws(UsageError) -> Request {
        given.line = line
        let options = line.prefix { $0 != "--" }
        // Help is shown even if the rest of the line is wrong.
        if options.contains("--help") || options.contains("-h") {
            return .help(asked(in: options))
        }
        rest = line[...]
        while let word = rest.popFirst() {
            if word == "--" {
                for word in rest { try takeArgument(word) }
                rest = []
            } else if word.hasPrefix("--") {
                try takeLong(word)
            } else if word.hasPrefix("-") && word != "-" {
                try takeShort(word)
            } else {
                try takeArgument(word)
            }
        }
        if given[Flag.version] { return .version }
        if given[Flag.manPage] { return .manPage }
        if let shell = given[Shell.option] { return .completionScript(shell) }
        guard let command else { throw UsageError("A command is missing.") }
        try assign(to: command)
        return .run(command, given)
    }

    /// The command to show help for: the first on the line, or the two-word command that it forms with the next word.
    private func asked(in words: some Sequence<String>) -> Command? {
        let words = Array(words)
        guard let index = words.firstIndex(where: { table.command($0).map { !$0.isHelp } ?? false }) else { return nil }
        let longer = words.dropFirst(index + 1).first.flatMap { table.command("\(words[index]) \($0)") }
        return longer ?? table.command(words[index])
    }

    // MARK: Words

    private mutating func takeArgument(_ word: String) throws(UsageError) {
        if let command {
            // Accepts "effects show FILE" and also "effects FILE show".
            if positionals.count < 2, let longer = table.command("\(command.name) \(word)") {
                self.command = longer
            } else if case .help = command.work, let topic = positionals.last, table.command("\(topic) \(word)") != nil
            {
                positionals = ["\(topic) \(word)"]
            } else {
                positionals.append(word)
            }
            return
        }
        guard let found = table.command(word) else {
            throw table.unknownCommand(word)
        }
        command = found
    }

    private mutating func takeLong(_ word: String) throws(UsageError) {
        let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        let row = try row(word: "--" + name) { $0.name == name }
        try take(row, named: "--" + name, attached: parts.count > 1 ? String(parts[1]) : nil)
    }

    /// `-f`, `-fn 5`, `-n5`.
    private mutating func takeShort(_ word: String) throws(UsageError) {
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            let row = try row(word: word) { $0.short == letter }
            if row.placeholder == nil {
                try take(row, named: "-\(letter)", attached: nil)
            } else {
                try take(row, named: "-\(letter)", attached: letters.isEmpty ? nil : String(letters))
                return
            }
        }
    }

    private func row(word: String, _ isMeant: (any OptionRow) -> Bool) throws(UsageError) -> any OptionRow {
        let known = table.options(for: command) + table.global
        if let row = known.first(where: isMeant) { return row }
        if word.dropFirst().allSatisfy(\.isWholeNumber) { throw negative(word) }
        // A suggestion is also found for an option with one dash too few, such as "-json".
        throw UsageError(
            "Unknown option '\(word)'.", suggestion: Suggestion.closest(to: word, among: known.map { "--" + $0.name }))
    }

    /// The error for a negative number that reads as an option. Where a step or an effect is expected, it says so.
    private func negative(_ word: String) -> UsageError {
        let number = String(word.dropFirst())
        let forms = (command?.positionals ?? []).compactMap { place in place.form.map { (place.name, $0) } }
            .filter { $0.1.accepts("1") }
        let given = positionals.count { word in forms.contains { $0.1.accepts(word) } }
        if let (name, form) = forms.dropFirst(given).first ?? forms.last {
            return UsageError("\(name) must be \(form.expected), not '\(word)'.")
        }
        let count = command?.options.first { $0.short == "n" }
        return UsageError("Unknown option '\(word)'.", suggestion: count.map { _ in "-n \(number)" })
    }

    private mutating func take(_ row: any OptionRow, named name: String, attached: String?) throws(UsageError) {
        guard let placeholder = row.placeholder else {
            guard attached == nil else { throw UsageError("'\(name)' takes no value.") }
            given.options[row.name, default: []].append("")
            return
        }
        guard let value = attached ?? nextValue() else {
            throw UsageError("'\(name)' needs a value: \(name) \(placeholder).")
        }
        if let complaint = row.complaint(about: value) { throw complaint }
        given.options[row.name, default: []].append(value)
    }

    /// The next word; nil if it is an option, because then the value was forgotten.
    private mutating func nextValue() -> String? {
        guard let word = rest.first, word != "--" else { return nil }
        let name = word.prefix { $0 != "=" }
        guard !table.options(for: command).contains(where: { "--" + $0.name == name }) else { return nil }
        return rest.removeFirst()
    }

    private mutating func assign(to command: Command) throws(UsageError) {
        var assignment = Assignment(places: command.positionals, words: positionals)
        given.positionals = try assignment.values()
    }
}
