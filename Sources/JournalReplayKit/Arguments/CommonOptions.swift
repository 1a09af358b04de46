extension Flag {
    static let json = Flag("json", help: "Write JSON for programs: one object a line for a list, one for a summary.")
    static let help = Flag("help", short: "h", help: "Show help.")
    static let version = Flag("version", help: "Show the version.")
}

/// When colours are used.
enum ColorChoice: String, CaseIterable, Sendable {
    case auto, always, never

    static let option = Option<ColorChoice>.word(
        "color", "WHEN", help: "When to use colours; auto, the default, does on a terminal.",
        allCases.map { ($0.rawValue, $0) })
}

/// A shell that completions can be made for.
enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish

    static let option = Option<Shell>.word(
        "generate-completion-script", "SHELL", help: "Write a script that teaches a shell these words.",
        allCases.map { ($0.rawValue, $0) })
}
