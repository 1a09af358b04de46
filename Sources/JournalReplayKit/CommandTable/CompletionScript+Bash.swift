extension CompletionScript {
    var bash: [String] {
        // In parts: Swift 6.2 gives up the type check of the whole sum.
        let body = bashWords + bashValues + bashPlaces
        let end = "complete -o default -F \(function) \(program)"
        return [remark(.bash), "\(function)() {"] + body + ["}"] + bashOffers + [end]
    }

    /// The words before the cursor. Bash makes "=" a word of its own: `--color=al` is three words.
    private var bashWords: [String] {
        [
            "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= index",
            "    COMPREPLY=()",
            "    if [[ $word == = ]]; then",
            "        word=",
            "    elif [[ $before == = ]]; then",
            "        before=${COMP_WORDS[COMP_CWORD-2]}",
            "    fi",
        ] + bashPrefix + [
            "    for ((index = \(prefix.count + 1); index < COMP_CWORD; index++)); do",
            "        case $command/${COMP_WORDS[index]} in",
            "        /\(commandNames.joined(separator: "|/"))) command=${COMP_WORDS[index]} ;;",
            "        \(pairPattern)) command+=\" ${COMP_WORDS[index]}\" ;;",
            "        esac",
            "    done",
        ]
    }

    /// If the words are known, or any text is allowed, file names are not offered, unless a file can be meant too.
    private var bashOffers: [String] {
        [
            "\(function)_offer() {",
            "    COMPREPLY=($(compgen -W \"$2\" -- \"$1\"))",
            "    compopt +o default 2>/dev/null",
            "}",
            "\(function)_offer_files() {",
            "    local IFS=$'\\n'",
            "    COMPREPLY=($(IFS=' '; compgen -W \"$2\" -- \"$1\"; compgen -f -- \"$1\"))",
            "    compopt -o filenames 2>/dev/null",
            "}",
        ]
    }

    /// Completes the words with which an app becomes the tool; the app's other arguments are not known.
    private var bashPrefix: [String] {
        prefix.enumerated().flatMap { index, word in
            [
                "    if ((COMP_CWORD == \(index + 1))); then",
                "        COMPREPLY=($(compgen -W '\(word)' -- \"${COMP_WORDS[COMP_CWORD]}\"))",
                "        return",
                "    fi",
                "    [[ ${COMP_WORDS[\(index + 1)]} == \(word) ]] || return",
            ]
        }
    }

    /// Completes the values of options.
    private var bashValues: [String] {
        var bodies: [(body: String, patterns: [String])] = []
        for (command, options) in scopes {
            for option in options where option.placeholder != nil {
                let patterns = Self.dashed(option).map { "\(command.map(Self.pattern) ?? "")/\($0)" }
                let body = bashBody(option.completion)
                if let index = bodies.firstIndex(where: { $0.body == body }) {
                    bodies[index].patterns += patterns
                } else {
                    bodies.append((body, patterns))
                }
            }
        }
        return ["    case $command/$before in"]
            + bodies.map { "    \($0.patterns.joined(separator: "|"))) \($0.body); return ;;" } + ["    esac"]
    }

    /// Completes options after a dash; otherwise a command, or the command's first argument.
    private var bashPlaces: [String] {
        var lines = ["    case $command in"]
        for (command, options) in scopes {
            let place = command.map { $0.positionals.first.map(completion) ?? .nothing } ?? .words(commandNames)
            let second = command.map(secondWords) ?? []
            lines += [
                "    \(command.map(Self.pattern) ?? "''"))",
                "        if [[ $word == -* ]]; then",
                "            " + bashBody(.words(options.flatMap(Self.dashed))),
                "        else",
                "            " + (second.isEmpty ? bashBody(place) : bashFilesOr(second)),
                "        fi",
                "        ;;",
            ]
        }
        return lines + ["    esac"]
    }

    private func bashBody(_ completion: Completion) -> String {
        switch completion {
        case .files: ":"
        case .words(let words):
            "\(function)_offer \"$word\" \(CompletionScript.quote(words.joined(separator: " ")))"
        case .nothing, .commands: "\(function)_offer \"$word\" ''"
        }
    }

    private func bashFilesOr(_ words: [String]) -> String {
        "\(function)_offer_files \"$word\" \(CompletionScript.quote(words.joined(separator: " ")))"
    }

    private static func dashed(_ option: any OptionRow) -> [String] {
        ["--" + option.name] + (option.short.map { ["-\($0)"] } ?? [])
    }

    /// The options before any command, then those of each command.
    private var scopes: [(command: Command?, options: [any OptionRow])] {
        [(nil, table.options(for: nil))] + table.commands.map { ($0, table.options(for: $0)) }
    }

    private var commandNames: [String] { words.map(\.name) }
}
