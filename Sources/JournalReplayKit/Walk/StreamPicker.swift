import JournalStore

/// The choice of a stream before a walk: what is shown, and what the keys do. Events in, commands out.
struct StreamPicker {
    struct Row: Hashable, Sendable {
        var name: String
        var machine: String
        var steps: Int
    }

    enum Command: Hashable, Sendable {
        case choose(String)
        /// Ring the bell: the key has no effect.
        case ring
        case redraw, suspend, quit
    }

    /// The file's name.
    let file: String
    var size: ScreenSize
    private let all: [Row]
    /// The streams whose names contain the filter.
    private(set) var rows: [Row]
    private(set) var index = 0
    private(set) var filter = ""
    /// Whether the filter is being typed.
    private(set) var isTyping = false

    init(file: String, rows: [Row], size: ScreenSize) {
        (self.file, self.size) = (file, size)
        (all, self.rows) = (rows, rows)
    }

    var selected: Row? { rows.indices.contains(index) ? rows[index] : nil }

    /// The number of lines for streams, between the title with its heading and the last line.
    var listRows: Int { max(1, size.rows - 3) }

    mutating func press(_ key: KeyPress) -> Command? {
        switch key {
        case .control("c"), .control("d"): return .quit
        case .control("z"): return .suspend
        case .control("l"): return .redraw
        case .enter:
            isTyping = false
            return selected.map { .choose($0.name) } ?? .ring
        case .up, .control("p"): return move(by: -1)
        case .down, .control("n"): return move(by: 1)
        case .pageUp, .control("b"): return move(by: -listRows)
        case .pageDown, .control("f"): return move(by: listRows)
        case .home: return move(by: -rows.count)
        case .end: return move(by: rows.count)
        case .escape:
            isTyping = false
            return filter.isEmpty ? .ring : narrow(to: "")
        default: return isTyping ? type(key) : pressChoosing(key)
        }
    }

    private mutating func pressChoosing(_ key: KeyPress) -> Command? {
        switch key {
        case .text("k"): return move(by: -1)
        case .text("j"): return move(by: 1)
        case .text("g"): return move(by: -rows.count)
        case .text("G"): return move(by: rows.count)
        case .text("/"):
            isTyping = true
            return nil
        case .text("q"), .text("Q"): return .quit
        default: return .ring
        }
    }

    private mutating func type(_ key: KeyPress) -> Command? {
        switch key {
        case .text(let character): return narrow(to: filter + String(character))
        case .backspace, .delete:
            if filter.isEmpty { isTyping = false }
            return narrow(to: String(filter.dropLast()))
        case .control("u"): return narrow(to: "")
        default: return .ring
        }
    }

    private mutating func narrow(to text: String) -> Command? {
        let name = selected?.name
        filter = text
        rows = text.isEmpty ? all : all.filter { TextSearch.contains($0.name, text) }
        index = rows.firstIndex { row in name.map { row.name.hasSameBytes(as: $0) } ?? false } ?? 0
        return nil
    }

    private mutating func move(by delta: Int) -> Command? {
        let target = min(max(0, index + delta), max(0, rows.count - 1))
        guard target != index else { return .ring }
        index = target
        return nil
    }
}

extension StreamPicker {
    /// The content of the screen: as many lines as it has, none wider than it is.
    var frame: ScreenFrame {
        let columns = size.columns
        guard size.rows > 1, columns > 0 else { return ScreenFrame(lines: [], cursor: nil) }
        func line(_ text: String, _ ink: Ink = .plain) -> StyledLine {
            StyledLine(DisplayWidth.clip(text, to: columns), ink)
        }
        var layout = Layout([("  STREAM", false), ("STEPS", true), ("MACHINE", false)])
        let top = max(0, min(index - listRows / 2, rows.count - listRows))
        let cells = rows.dropFirst(top).prefix(listRows).map { row in
            ["  " + SafeText.escape(row.name), "\(row.steps)", SafeText.escape(row.machine)]
        }
        for row in cells { layout.widen(for: row) }
        let title = DisplayWidth.fit(" \(SafeText.escape(file))  choose a stream", to: columns)
        var lines = [line(title, .title), line(layout.headline, .heading)]
        for place in 0..<listRows {
            guard cells.indices.contains(place) else {
                lines.append(line(""))
                continue
            }
            let text = layout.line(cells[place]) { $1 }
            lines.append(place == index - top ? line(">" + text.dropFirst(), .selected) : line(text))
        }
        lines = Array(lines.prefix(size.rows - 1))
        guard isTyping else {
            let count = Quantity.counted(rows.count, "stream", "streams")
            return ScreenFrame(lines: lines + [line("Enter walk  / filter  q quit  \(count)", .heading)], cursor: nil)
        }
        let (prompt, cursor) = StyledLine.prompt("Filter: ", filter, columns: columns)
        return ScreenFrame(lines: lines + [prompt], cursor: cursor)
    }
}
