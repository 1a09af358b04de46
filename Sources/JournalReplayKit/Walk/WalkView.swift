/// Renders a walk for the size of its screen. It is a pure function of the walk.
struct WalkView {
    let walk: Walk

    var layout: WalkLayout { walk.layout }
    private var columns: Int { walk.size.columns }

    /// The frame: as many lines as the screen has, none wider than the screen.
    var frame: ScreenFrame {
        guard walk.size.rows > 1, columns > 0 else {
            return ScreenFrame(lines: walk.size.rows == 1 ? [title] : [], cursor: nil)
        }
        var lines = [title]
        if case .help(let top) = walk.mode {
            lines += helpLines(from: top)
        } else {
            lines += upperLines + effectLines
        }
        let (last, cursor) = lastLine
        return ScreenFrame(lines: lines + [last], cursor: cursor)
    }

    // MARK: Title

    private var title: StyledLine {
        let place = places.first { DisplayWidth.of($0) <= columns - 2 } ?? ""
        let name = " " + DisplayWidth.clip(nameOfStream, to: columns - DisplayWidth.of(place) - 3)
        let room = columns - DisplayWidth.of(place) - 1
        return StyledLine(
            DisplayWidth.clip(DisplayWidth.fit(name, to: room) + place + " ", to: columns), .title)
    }

    private var nameOfStream: String {
        [walk.file, walk.stream].map(SafeText.escape).joined(separator: "  ")
    }

    /// Forms of the current place, longest first; the title shows the first one that fits.
    private var places: [String] {
        guard let row = walk.window.selected else { return ["no steps"] }
        let step = "step \(row.step) of \(max(row.step, walk.head))"
        return (columns >= 76 ? ["\(step)  \(row.time)"] : []) + (columns >= 30 ? [step] : []) + ["\(row.step)"]
    }

    // MARK: Last line

    private var lastLine: (StyledLine, cursor: Int?) {
        switch walk.mode {
        case .jumping(let text): return prompt("Step: ", text)
        case .asking(let text):
            return prompt("Search: ", text)
        case .searching(let search):
            return (
                line("Searching for '\(SafeText.escape(search.text))' … step \(shown(search.next))  Esc stops"), nil
            )
        case .playing:
            let pace = walk.message ?? "Playing one step every \(walk.pause) ms."
            return (line(pace + "  + faster  - slower  any other key stops"), nil)
        case .help: return (line("↑↓ scroll  any other key goes back"), nil)
        case .walking: return (walk.message.map { line($0) } ?? keys, nil)
        }
    }

    private func shown(_ step: Int) -> String { step == .max ? "\(walk.head)" : "\(max(0, step))" }

    private func prompt(_ label: String, _ text: String) -> (StyledLine, cursor: Int?) {
        StyledLine.prompt(label, text, columns: columns)
    }

    private func line(_ text: String) -> StyledLine {
        StyledLine(DisplayWidth.clip(text, to: columns))
    }

    private var keys: StyledLine {
        var line = ""
        let hints =
            ["? help", "q quit", "↑↓ step"] + (walk.hasStates ? [paneHint] : [])
            + WalkView.hints + (walk.hasStates ? ["a action"] : [])
        for hint in hints {
            let longer = line.isEmpty ? hint : line + "  " + hint
            guard DisplayWidth.of(longer) <= columns else { break }
            line = longer
        }
        return StyledLine(line, .heading)
    }

    private var paneHint: String { walk.pane == .state ? "Tab changes" : "Tab state" }
    private static let hints = [": jump", "/ search", "space play", "[] scroll", "e effects"]
}
