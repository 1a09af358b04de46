extension Flag {
    static let json = Flag("json", help: "Write JSON: a list has one object per line, a summary is one object.")
    static let help = Flag("help", short: "h", help: "Show help.")
    static let manPage = Flag("generate-man-page", help: "Write the manual page.")
    static let version = Flag("version", help: "Show the version.")
}

extension ColorChoice {
    static let option = Option<ColorChoice>.word(
        "color", "WHEN", help: "When to use colours. The default is auto: only on a terminal.",
        allCases.map { ($0.rawValue, $0) })
}

/// A shell with a completion script.
enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish

    static let option = Option<Shell>.word(
        "generate-completion-script", "SHELL", help: "Write a completion script for this shell.",
        allCases.map { ($0.rawValue, $0) })
}
