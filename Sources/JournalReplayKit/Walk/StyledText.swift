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

    /// A prompt and what was typed; if the line is too short, the end of it is shown.
    static func prompt(_ label: String, _ text: String, columns: Int) -> (line: StyledLine, cursor: Int?) {
        let label = DisplayWidth.clip(label, to: max(0, columns - 2))
        var typed = SafeText.escape(text)[...]
        let room = columns - DisplayWidth.of(label) - 1
        while DisplayWidth.of(String(typed)) > max(0, room) { typed.removeFirst() }
        let line = label + typed
        return (StyledLine(line), min(DisplayWidth.of(line), columns - 1))
    }
}

/// The content of the whole screen.
struct ScreenFrame: Hashable, Sendable {
    var lines: [StyledLine]
    /// The column of the cursor in the last line; nil if it is hidden.
    var cursor: Int?
}
