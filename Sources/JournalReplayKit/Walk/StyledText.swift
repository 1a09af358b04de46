/// What a text is on the screen.
enum Ink: Hashable, Sendable {
    case plain, title, heading, selected, problem, added, removed
}

/// A text of one kind, safe for a terminal.
struct StyledText: Hashable, Sendable {
    var text: String
    var ink = Ink.plain

    var width: Int { DisplayWidth.of(text) }
}

/// A line of the screen.
struct StyledLine: Hashable, Sendable {
    var parts: [StyledText] = []

    init(_ parts: [StyledText] = []) {
        self.parts = parts
    }

    init(_ text: String, _ ink: Ink = .plain) {
        parts = [StyledText(text: text, ink: ink)]
    }

    /// As a terminal without colours shows it.
    var text: String { parts.map(\.text).joined() }
}

/// All that a screen shows.
struct ScreenFrame: Hashable, Sendable {
    var lines: [StyledLine]
    /// Where the cursor stands in the last line; nil where it is hidden.
    var cursor: Int?
}
