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
        return try parser.parse(line)
    }

    private mutating func parse(_ line: [String]) throws(UsageError) -> Request {
        given.line = line
        rest = line[...]
        var failure: UsageError?
        while let word = rest.popFirst() {
            do throws(UsageError) { try take(word) } catch { failure = failure ?? ofCommand(error) }
        }
        // Help is shown even if the rest of the line is wrong.
        if given[Flag.help] { return .help(topic) }
        if let failure { throw failure }
        if given[Flag.version] { return .version }
        if given[Flag.manPage] { return .manPage }
        if let shell = given[Shell.option] { return .completionScript(shell) }
        guard let command else { throw UsageError("A command is missing.") }
        do throws(UsageError) { try assign(to: command) } catch { throw ofCommand(error) }
        return .run(command, given)
    }

    /// The command to show help for; nil for the program.
    private var topic: Command? {
        guard let command, command.isHelp else { return command }
        return positionals.first.flatMap(table.command)
    }

    private func ofCommand(_ error: UsageError) -> UsageError {
        var error = error
        error.command = command?.name
        return error
    }

    // MARK: Words

    private mutating func take(_ word: String) throws(UsageError) {
        if word == "--" {
            let words = rest
            rest = []
            // What follows is no second word of a command, as a stream of the name `show` would otherwise be.
            for word in words { if command == nil { try takeArgument(word) } else { positionals.append(word) } }
        } else if word.hasPrefix("--") {
            try takeLong(word)
        } else if word.hasPrefix("-") && word != "-" {
            try takeShort(word)
        } else {
            try takeArgument(word)
        }
    }

    private mutating func takeArgument(_ word: String) throws(UsageError) {
        if let command {
            // Accepts "effects show FILE" and also "effects FILE show".
            if positionals.count < 2, let longer = table.command("\(command.name) \(word)") {
                self.command = longer
                try checkOptions(of: longer)
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

    /// Refuses an option that was given before the second word of a command, and that only the first word has.
    private func checkOptions(of command: Command) throws(UsageError) {
        let known = Set((table.options(for: command) + table.global).map { $0.name })
        guard let other = given.options.keys.filter({ !known.contains($0) }).min() else { return }
        throw UsageError("Unknown option '--\(other)'.")
    }

    private mutating func takeLong(_ word: String) throws(UsageError) {
        let (name, value) = Parser.parts(ofLong: word)
        let row = try row(word: "--" + name) { $0.name == name }
        try take(row, named: "--" + name, attached: value)
    }

    /// The parts of `--name=value`; the value is nil if there is none.
    ///
    /// Split at a byte: a value can begin with a combining character, which the sign before it would join.
    private static func parts(ofLong word: String) -> (name: String, value: String?) {
        let bytes = word.utf8.dropFirst(2)
        guard let sign = bytes.firstIndex(of: UInt8(ascii: "=")) else { return (String(Substring(bytes)), nil) }
        return (String(Substring(bytes[..<sign])), String(Substring(bytes[bytes.index(after: sign)...])))
    }

    /// `-f`, `-fn 5`, `-n5`, `-n=5`.
    private mutating func takeShort(_ word: String) throws(UsageError) {
        // As scalars, for the reason above.
        var letters = word.unicodeScalars.dropFirst()
        while let scalar = letters.popFirst() {
            let letter = Character(scalar)
            let row = try row(word: word) { $0.short == letter }
            if row.placeholder == nil {
                try take(row, named: "-\(letter)", attached: nil)
            } else {
                let value = letters.first == "=" ? letters.dropFirst() : letters
                try take(row, named: "-\(letter)", attached: letters.isEmpty ? nil : String(Substring(value)))
                return
            }
        }
    }

    private func row(word: String, _ isMeant: (any OptionRow) -> Bool) throws(UsageError) -> any OptionRow {
        let known = table.options(for: command) + table.global
        if let row = known.first(where: isMeant) { return row }
        if word.dropFirst().allSatisfy({ $0.isWholeNumber || $0 == "." }) { throw negative(word) }
        // A suggestion is also found for an option with one dash too few, such as "-json".
        let suggestion = Suggestion.closest(to: word, among: known.map { "--" + $0.name })
        let hint = suggestion == nil && word.contains(".") ? " If it is the name of a file, write ./\(word)." : ""
        throw UsageError("Unknown option '\(word)'.\(hint)", suggestion: suggestion)
    }

    /// The error for a negative number that reads as an option. Where a step or an effect is expected, it says so.
    private func negative(_ word: String) -> UsageError {
        let number = String(word.dropFirst())
        let forms = (command?.positionals ?? []).compactMap { place in place.form.map { (place.name, $0) } }
            .filter { $0.1.accepts("1") }
        let given = positionals.count { word in forms.contains { $0.1.accepts(word) } }
        if let (name, form) = forms.dropFirst(given).first ?? forms.last {
            return UsageError("\(name) must be \(form.expected)", butNot: word)
        }
        let count = number.contains(".") ? nil : command?.options.first { $0.short == "n" }
        return UsageError("Unknown option '\(word)'.", suggestion: count.map { _ in "-n \(number)" })
    }

    private mutating func take(_ row: any OptionRow, named name: String, attached: String?) throws(UsageError) {
        guard let placeholder = row.placeholder else {
            guard attached == nil else { throw UsageError("'\(name)' takes no value.") }
            return try given.add("", of: row)
        }
        guard let value = attached ?? nextValue() else {
            throw UsageError(
                "'\(name)' needs a value: \(name) \(placeholder). If the value begins with '-', write \(name)=VALUE.")
        }
        guard !value.isEmpty || row.completion != .files else { throw UsageError("'\(name)' is empty: name a file.") }
        if let complaint = row.complaint(about: value) { throw complaint }
        try given.add(value, of: row)
    }

    /// The next word; nil if it is an option, because then the value was forgotten.
    private mutating func nextValue() -> String? {
        guard let word = rest.first, word != "--" else { return nil }
        // An option is removed as well: the `-h` of `--reason -h` does not ask for help.
        rest.removeFirst()
        return isKnownOption(word) ? nil : word
    }

    /// Whether a word reads as options of the command: `--json`, `--last=5`, `-y`, `-fn5`.
    private func isKnownOption(_ word: String) -> Bool {
        let known = table.options(for: command)
        guard !word.hasPrefix("--") else {
            let name = Parser.parts(ofLong: word).name
            return known.contains { $0.name == name }
        }
        guard word.hasPrefix("-"), word != "-" else { return false }
        for scalar in word.unicodeScalars.dropFirst() {
            guard let row = known.first(where: { $0.short == Character(scalar) }) else { return false }
            if row.placeholder != nil { return true }
        }
        return true
    }

    private mutating func assign(to command: Command) throws(UsageError) {
        var assignment = Assignment(places: command.positionals, words: positionals)
        given.positionals = try assignment.values()
    }
}
