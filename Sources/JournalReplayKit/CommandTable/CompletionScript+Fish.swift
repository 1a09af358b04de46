extension CompletionScript {
    var fish: [String] {
        let program = "complete -c \(program)"
        var lines = [remark(.fish)]
        for (index, word) in prefix.enumerated() {
            let isNext = fishSeen(prefix.prefix(index)).map { "-n \(fishQuote($0))" } ?? "-n __fish_use_subcommand"
            lines.append("\(program) \(isNext) -a \(word)")
        }
        let isTool = fishSeen(prefix)
        lines.append(program + (isTool.map { " -n \(fishQuote($0))" } ?? "") + " -f")
        // Not `__fish_use_subcommand`: it takes the value of an option for the command.
        let start = fishQuote((isTool.map { $0 + "; and " } ?? "") + "not __fish_seen_subcommand_from \(names)")
        for option in table.options(for: nil) {
            lines.append("\(program) -n \(start)" + fishOption(option))
        }
        for command in words {
            lines.append("\(program) -n \(start) -a \(command.name) -d \(fishQuote(command.summary))")
        }
        for command in table.commands {
            let seen = [isTool].compactMap(\.self) + fishTyped(command)
            let place = "\(program) -n \(fishQuote(seen.joined(separator: "; and ")))"
            lines += table.options(for: command).map { place + fishOption($0) }
            lines += command.positionals.prefix(1).map { place + fishValues(completion(of: $0)) }
            lines += pairs.filter { $0.first == command.name }
                .map { place + " -a \($0.second) -d " + fishQuote($0.command.summary) }
        }
        return lines
    }

    private var names: String { words.map(\.name).joined(separator: " ") }

    /// The condition that these words of the program were typed; nil if there are none.
    private func fishSeen(_ words: some Collection<String>) -> String? {
        words.isEmpty
            ? nil : words.map { "__fish_seen_subcommand_from \($0)" }.joined(separator: "; and ")
    }

    /// The conditions that this command was typed. The command `show` was not typed in `effects show`, and neither was
    /// `effects`.
    private func fishTyped(_ command: Command) -> [String] {
        let typed = command.name.split(separator: " ").map(String.init)
        let others = pairs.flatMap { pair in
            typed == [pair.first] ? [pair.second] : typed == [pair.second] ? [pair.first] : []
        }
        return typed.map { "__fish_seen_subcommand_from \($0)" }
            + others.map { "not __fish_seen_subcommand_from \($0)" }
    }

    private func fishOption(_ option: any OptionRow) -> String {
        let names = " -l \(option.name)" + (option.short.map { " -s \($0)" } ?? "")
        let value = option.placeholder == nil ? "" : " -r" + fishValues(option.completion)
        return names + value + " -d " + fishQuote(option.help)
    }

    private func fishValues(_ completion: Completion) -> String {
        switch completion {
        case .nothing, .commands: " -f"
        case .files: " -F"
        case .words(let words): " -f -a " + fishQuote(words.joined(separator: " "))
        }
    }

    /// In fish, a backslash escapes a quote inside quotes.
    private func fishQuote(_ text: String) -> String {
        "'" + CompletionScript.escape(text, "'\\") + "'"
    }
}
