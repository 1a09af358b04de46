extension CompletionScript {
    var zsh: [String] {
        var lines = ["#compdef \(program)", remark(.zsh), "\(function)() {"] + zshPrefix
        lines += [
            "    local curcontext=$curcontext context state line",
            "    typeset -A opt_args",
            "    local -a commands=(",
        ]
        lines += words.map { "        " + CompletionScript.quote("\($0.name):\($0.summary)") }
        lines += ["    )"]
        lines += zshArguments(table.options(for: nil), ["1: :->command", "*:: :->arguments"], indent: "    ", "-C ")
        lines += ["    case $state in", "    command) _describe -t commands command commands ;;"]
        lines += ["    arguments)"] + zshName + ["        case $name in"]
        for command in table.commands {
            lines.append("        \(CompletionScript.pattern(command)))")
            let places = command.positionals.enumerated().map { index, positional in
                let optional = positional.isOptional ? ":" : ""
                let second = index == 0 ? secondWords(after: command) : []
                let action =
                    second.isEmpty
                    ? zshAction(completion(of: positional))
                    : ":{ compadd -- \(second.joined(separator: " ")); _files }"
                return "\(index + 1):\(optional)\(positional.name)" + action
            }
            lines += zshArguments(table.options(for: command), places, indent: "            ")
            lines.append("            ;;")
        }
        lines += ["        esac", "        ;;", "    esac", "}"]
        // If zsh finds the file in $fpath, the file is the function; `source` only defines the function.
        return lines + [
            "if [[ $funcstack[1] == \(function) || $funcstack[1] == _\(program) ]]; then",
            "    \(function) \"$@\"",
            "else",
            "    compdef \(function) \(program)",
            "fi",
        ]
    }

    /// Finds the command. If it has two words, goes on as if the second were the whole command.
    private var zshName: [String] {
        [
            "        local name=$line[1]",
            "        case $name/$words[2] in",
            "        \(pairPattern))",
            "            if ((CURRENT > 2)); then",
            "                name+=\" $words[2]\"",
            "                shift words",
            "                ((CURRENT--))",
            "            fi",
            "            ;;",
            "        esac",
        ]
    }

    /// Completes the words with which an app becomes the tool, and goes on as if the last of them were the program.
    private var zshPrefix: [String] {
        prefix.flatMap { word in
            [
                "    if ((CURRENT == 2)); then", "        compadd -- \(word)", "        _default", "        return",
                "    fi",
                "    [[ $words[2] == \(word) ]] || { _default; return }", "    shift words", "    ((CURRENT--))",
            ]
        }
    }

    private func zshArguments(
        _ options: [any OptionRow], _ places: [String], indent: String, _ flags: String = ""
    ) -> [String] {
        let specs = options.flatMap(zshSpecs) + places
        return ["\(indent)_arguments \(flags)-s -S \\"]
            + specs.enumerated().map { index, spec in
                indent + "    " + CompletionScript.quote(spec) + (index < specs.count - 1 ? " \\" : "")
            }
    }

    /// `--last=[help]:N:` and `-n+[help]:N:`; with `*` before it if it may be given several times.
    private func zshSpecs(_ option: any OptionRow) -> [String] {
        let help = "[" + CompletionScript.escape(option.help, "[]:\\") + "]"
        guard let placeholder = option.placeholder else {
            return (option.short.map { ["-\($0)" + help] } ?? []) + ["--\(option.name)" + help]
        }
        let value = ":" + placeholder + zshAction(option.completion)
        let often = option.isRepeatable ? "*" : ""
        return (option.short.map { [often + "-\($0)+" + help + value] } ?? [])
            + [often + "--\(option.name)=" + help + value]
    }

    private func zshAction(_ completion: Completion) -> String {
        switch completion {
        case .nothing, .commands: ":"
        case .files: ":_files"
        case .words(let words): ":(" + words.joined(separator: " ") + ")"
        }
    }

    /// Escapes these characters with a backslash.
    static func escape(_ text: String, _ characters: String) -> String {
        String(text.flatMap { characters.contains($0) ? ["\\", $0] : [$0] })
    }
}
