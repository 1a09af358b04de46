import JournalStore

// The steps, and beside or below them the pane.

extension WalkView {
    var upperLines: [StyledLine] {
        let list = listLines
        let pane = paneLines
        guard layout.isWide else { return list + pane }
        return zip(list, pane).map { list, pane in
            StyledLine(list.parts + [StyledText(text: "│ ", ink: .heading)] + pane.parts)
        }
    }

    // MARK: List

    private var listLines: [StyledLine] {
        let width = layout.listWidth
        var lines: [StyledLine] = []
        if layout.hasListHeading {
            let step = String(repeating: " ", count: max(0, digits - 4)) + "STEP"
            let time = showsTime ? "TIME     " : ""
            lines.append(StyledLine(DisplayWidth.fit(" \(step) \(time)  ACTION", to: width), .heading))
        }
        let rows = walk.window.rows
        // The selected step is in the middle, so that the steps before and after it are visible.
        let first = min(max(0, walk.window.index - layout.listRows / 2), max(0, rows.count - layout.listRows))
        for index in first..<(first + layout.listRows) {
            let isSelected = index == walk.window.index
            let text = rows.indices.contains(index) ? text(of: rows[index], isSelected: isSelected) : ""
            let isProblem = rows.indices.contains(index) && (rows[index].outcome.isProblem || rows[index].isDamaged)
            let ink: Ink = isSelected && !text.isEmpty ? .selected : isProblem ? .problem : .plain
            lines.append(StyledLine(DisplayWidth.fit(text, to: width), ink))
        }
        return lines
    }

    /// The digits of the largest step number. All steps have this width, so that the layout is the same in each window.
    private var digits: Int { max(4, String(max(walk.head, walk.window.rows.last?.step ?? 0)).count) }

    /// On a narrow screen, the time is left out.
    private var showsTime: Bool { layout.listWidth >= 30 }

    private func text(of row: WalkRow, isSelected: Bool) -> String {
        let step = String(row.step)
        let number = String(repeating: " ", count: max(0, digits - step.count)) + step
        let start = (isSelected ? ">" : " ") + number + " "
        let time = showsTime ? row.time.timeOfDay + " " : ""
        let damaged = row.isDamaged ? "damaged " : ""
        let outcome = damaged + (row.outcome.outcome.flatMap { $0 == .reduced ? nil : $0.rawValue + " " } ?? "")
        return start + time + row.origin.mark + " " + outcome + row.text
    }

    // MARK: Pane

    private var paneLines: [StyledLine] {
        let remark = walk.isWaiting ? "…" : "There are no steps yet."
        let lines = walk.paneLines ?? [StyledText(text: remark, ink: .heading)]
        let seen = lines.dropFirst(walk.scroll).prefix(layout.paneRows)
        let blank = StyledLine("")
        let padding = Array(repeating: blank, count: layout.paneRows - seen.count)
        let shown = seen.map { line in
            StyledLine(DisplayWidth.clip(line.text, to: layout.paneWidth), line.ink)
        }
        return (layout.hasPaneHeading ? [paneHeading(lines.count, seen.count)] : []) + shown + padding
    }

    private func paneHeading(_ count: Int, _ seen: Int) -> StyledLine {
        let step = walk.window.selected?.step
        let what =
            switch walk.pane {
            case .state: "STATE" + (step.map { " after step \($0)" } ?? "")
            case .changes: "CHANGES" + (step.map { " by step \($0)" } ?? "")
            case .entry: "ENTRY" + (step.map { " of step \($0)" } ?? "")
            }
        guard count > seen else { return StyledLine(DisplayWidth.clip(what, to: layout.paneWidth), .heading) }
        let part = "\(walk.scroll + 1)-\(walk.scroll + seen)/\(count)"
        let text = DisplayWidth.fit(what, to: layout.paneWidth - part.count - 1) + " " + part
        return StyledLine(DisplayWidth.clip(text, to: layout.paneWidth), .heading)
    }
}

extension Origin {
    /// The letter of the list; a space for an action that the app dispatched.
    fileprivate var mark: String {
        switch self {
        case .dispatched: " "
        case .effect: "e"
        case .restart: "r"
        case .machine: "m"
        }
    }
}

extension Timestamp {
    /// `23:59:59`, in UTC like all times that the tool shows.
    fileprivate var timeOfDay: String {
        description.split(separator: "T").last.map { String($0.prefix(8)) } ?? ""
    }
}
