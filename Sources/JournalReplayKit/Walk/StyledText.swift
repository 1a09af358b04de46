/// The role of a text on the screen.
enum Ink: Hashable, Sendable {
    case plain, title, heading, selected, problem, added, removed
}

/// A text with one role, escaped for a terminal.
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

    /// The text without styles.
    var text: String { parts.map(\.text).joined() }
}

/// The content of the whole screen.
struct ScreenFrame: Hashable, Sendable {
    var lines: [StyledLine]
    /// The column of the cursor in the last line; nil if it is hidden.
    var cursor: Int?
}
