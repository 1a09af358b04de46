/// The help, generated from the command table.
struct Help {
    let table: CommandTable

    private static let width = 80

    /// The help of the program.
    var overview: [String] {
        var lines = [table.summary, "", synopsis, ""]
        lines += section("Commands:", table.commands.map { ($0.name, $0.summary) })
        lines += section("Options:", (table.common + table.global).map(Help.row))
        lines += section(
            "Exit codes:",
            ExitCode.allCases.compactMap { code in
                code.meaning.map { (String(code.rawValue), $0) }
            })
        return lines + ["See '\(table.program) help COMMAND' for a command's options."]
    }

    /// The help of one command.
    func page(_ command: Command) -> [String] {
        var lines = [command.summary, "", usage(command), ""]
        if !command.discussion.isEmpty { lines += Help.wrap(command.discussion, to: Help.width) + [""] }
        lines += section("Arguments:", command.positionals.map { ($0.name, $0.help) })
        lines += section("Options:", table.options(for: command).map(Help.row))
        if let (about, keys) = command.lines {
            lines += section("JSON keys of each \(about), on a line of its own:", keys.map { ($0.name, $0.meaning) })
        }
        lines += section(
            command.lines == nil ? "JSON keys:" : "JSON keys of the last line:",
            command.keys.map { ($0.name, $0.meaning) })
        return Array(lines.dropLast())
    }

    private var synopsis: String { "Usage: \(table.program) COMMAND [OPTIONS] FILE" }

    func usage(_ command: Command) -> String {
        let arguments = command.positionals.map { $0.isOptional ? "[\($0.name)]" : $0.name }
        let required = command.requiredOptions.map { $0.usage }
        return (["Usage:", table.program, command.name, "[OPTIONS]"] + arguments + required).joined(separator: " ")
    }

    /// The lines after an error message about the command line.
    func hint(for name: String?) -> [String] {
        guard let command = name.flatMap(table.command) else {
            return [synopsis, "See '\(table.program) --help' for more."]
        }
        return [usage(command), "See '\(table.program) \(command.name) --help' for more."]
    }

    // MARK: Lines

    private static func row(_ option: any OptionRow) -> (label: String, text: String) {
        let short = option.short.map { "-\($0), " } ?? "    "
        return (short + option.usage, option.helpWithWords)
    }

    private func section(_ title: String, _ rows: [(label: String, text: String)]) -> [String] {
        guard !rows.isEmpty else { return [] }
        let widest = 24
        let column = min(widest, rows.map(\.label.count).max() ?? 0)
        var lines = [title]
        for (label, text) in rows {
            let texts = Help.wrap(text, to: Help.width - column - 4)
            let blank = String(repeating: " ", count: column + 4)
            // A long label has a line of its own.
            if label.count > column {
                lines.append("  " + label)
                lines += texts.map { blank + $0 }
            } else {
                lines.append("  " + label + blank.dropFirst(label.count + 2) + (texts.first ?? ""))
                lines += texts.dropFirst().map { blank + $0 }
            }
        }
        return lines + [""]
    }

    /// Wraps a text between words, and keeps its line breaks.
    static func wrap(_ text: String, to width: Int) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { paragraph in
            var lines = [""]
            for word in paragraph.split(separator: " ") {
                let line = lines[lines.count - 1]
                if line.isEmpty {
                    lines[lines.count - 1] = String(word)
                } else if line.count + 1 + word.count <= width {
                    lines[lines.count - 1] += " " + word
                } else {
                    lines.append(String(word))
                }
            }
            return lines
        }
    }
}
