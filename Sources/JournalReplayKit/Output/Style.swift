/// The style of the output: if it uses colour, headlines are dim and problems are red.
struct Style: Hashable, Sendable {
    var usesColour: Bool

    static let plain = Style(usesColour: false)

    /// `always` and `never` override everything else. With `auto`, colour needs a terminal, no NO_COLOR
    /// (https://no-color.org), and a TERM other than "dumb".
    init(_ choice: ColorChoice, isTerminal: Bool, environment: (String) -> String?) {
        switch choice {
        case .always: usesColour = true
        case .never: usesColour = false
        case .auto:
            usesColour = isTerminal && (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
        }
    }

    init(usesColour: Bool) {
        self.usesColour = usesColour
    }

    func headline(_ text: String) -> String { paint(text, "2") }
    func problem(_ text: String) -> String { paint(text, "31") }

    private func paint(_ text: String, _ code: String) -> String {
        usesColour && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

/// When to use colours.
enum ColorChoice: String, CaseIterable, Sendable {
    case auto, always, never
}
