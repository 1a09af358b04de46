extension CompletionScript {
    var fish: [String] {
        let program = "complete -c \(table.program)"
        var lines = [remark(.fish), "\(program) -f"]
        for option in table.options(for: nil) {
            lines.append("\(program) -n __fish_use_subcommand" + fishOption(option))
        }
        for command in words {
            lines.append("\(program) -n __fish_use_subcommand -a \(command.name) -d \(fishQuote(command.summary))")
        }
        for command in words {
            let place = "\(program) -n '__fish_seen_subcommand_from \(command.name)'"
            lines += table.options(for: command).map { place + fishOption($0) }
            lines += command.positionals.prefix(1).map { place + fishValues(completion(of: $0)) }
        }
        return lines
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
