/// Turns frames into text for a terminal. Writes only the lines that changed.
struct ScreenPainter {
    let usesColour: Bool
    private var shown: [StyledLine] = []

    init(usesColour: Bool) {
        self.usesColour = usesColour
    }

    /// Forgets what the screen shows, so that the next frame is painted whole.
    mutating func forget() {
        shown = []
    }

    mutating func paint(_ frame: ScreenFrame) -> String {
        var text = shown.isEmpty ? "\u{1B}[0m\u{1B}[2J" : ""
        for (row, line) in frame.lines.enumerated() where !shown.indices.contains(row) || shown[row] != line {
            // Erase before writing: after a full line, erasing would remove its last character.
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
            // Set the column of each part, because terminals disagree about the width of some characters.
            if column > 0 { text += "\u{1B}[\(column + 1)G" }
            let code = code(part.ink)
            text += code.isEmpty || part.text.isEmpty ? part.text : "\u{1B}[\(code)m\(part.text)\u{1B}[0m"
            column += part.width
        }
        return text
    }

    /// Reverse video is used without colour too: https://no-color.org is only about colours.
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
