import JournalStore

// The effects of the selected step.

extension WalkView {
    var effectLines: [StyledLine] {
        let rows = layout.effectsRows - 1
        guard rows > 0 else { return [] }
        let runs = walk.detail?.runs ?? []
        let shown = runs.prefix(rows)
        let widths = [7, 20, 12].enumerated().map { column, widest in
            min(widest, shown.map { DisplayWidth.of(cells(of: $0)[column + 1]) }.max() ?? 0)
        }
        var lines = [StyledLine(DisplayWidth.clip(heading(runs.count, shown.count), to: walk.size.columns), .heading)]
        for run in shown {
            let cells = cells(of: run)
            let text = [
                " " + cells[0], DisplayWidth.fit(cells[1], to: widths[0]), DisplayWidth.fit(cells[2], to: widths[1]),
                DisplayWidth.fit(cells[3], to: widths[2]), cells[4], cells[5],
            ].filter { !$0.isEmpty }.joined(separator: "  ")
            let ink: Ink = run.status.isProblem ? .problem : .plain
            lines.append(StyledLine(DisplayWidth.clip(text, to: walk.size.columns), ink))
        }
        return lines + Array(repeating: StyledLine(""), count: rows - shown.count)
    }

    private func heading(_ count: Int, _ shown: Int) -> String {
        guard let step = walk.window.selected?.step else { return "EFFECTS" }
        guard let detail = walk.detail else { return "EFFECTS of step \(step)" }
        // Shown beside every pane: the reason why the step did not change the state.
        let outcome = detail.outcome.isProblem ? ", \(SafeText.escape(detail.outcome.description))" : ""
        if count == 0 { return "EFFECTS of step \(step): none\(outcome)" }
        // At most one more than the limit was read.
        let all = count > WalkSource.mostRuns ? "more than \(WalkSource.mostRuns)" : "\(count)"
        return "EFFECTS of step \(step)" + (count > shown ? ": \(shown) of \(all)" : "") + outcome
    }

    private func cells(of run: EffectRun) -> [String] {
        let attempts = run.attempts == 1 ? "1 attempt" : "\(run.attempts) attempts"
        return [
            // A timer or a message is nothing that the app does outside.
            "\(run.key)", run.kind == .effect ? "" : run.kind.rawValue, SafeText.escape(run.name), run.status.rawValue,
            attempts,
            SafeText.escape(run.lastError ?? ""),
        ]
    }
}
