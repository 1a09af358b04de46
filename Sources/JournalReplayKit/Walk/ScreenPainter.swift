/// Turns pictures into what a terminal understands: only the lines that are not there yet.
struct ScreenPainter {
    let usesColour: Bool
    private var shown: [StyledLine] = []

    init(usesColour: Bool) {
        self.usesColour = usesColour
    }

    /// Nothing is known of the screen any more.
    mutating func forget() {
        shown = []
    }

    mutating func paint(_ frame: ScreenFrame) -> String {
        var text = shown.isEmpty ? "\u{1B}[0m\u{1B}[2J" : ""
        for (row, line) in frame.lines.enumerated() where !shown.indices.contains(row) || shown[row] != line {
            // Erased first: behind a full line that would take its last sign.
            text += "\u{1B}[\(row + 1);1H\u{1B}[2K" + paint(line)
        }
        if let column = frame.cursor {
            text += "\u{1B}[\(frame.lines.count);\(column + 1)H\u{1B}[?25h"
        } else if !text.isEmpty {
            text += "\u{1B}[?25l"
        }
        shown = frame.lines
        return text
    }

    private func paint(_ line: StyledLine) -> String {
        var text = ""
        var column = 0
        for part in line.parts {
            // Terminals disagree about the width of some signs; each part stands where it should all the same.
            if column > 0 { text += "\u{1B}[\(column + 1)G" }
            let code = code(part.ink)
            text += code.isEmpty || part.text.isEmpty ? part.text : "\u{1B}[\(code)m\(part.text)\u{1B}[0m"
            column += part.width
        }
        return text
    }

    /// Turned around is no colour: https://no-color.org speaks of colours alone.
    private func code(_ ink: Ink) -> String {
        switch ink {
        case .plain: ""
        case .title, .selected: "7"
        case .heading: usesColour ? "2" : ""
        case .problem, .removed: usesColour ? "31" : ""
        case .added: usesColour ? "32" : ""
        }
    }
}
