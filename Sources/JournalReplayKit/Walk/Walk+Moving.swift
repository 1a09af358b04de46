// Which step is selected, and what is in memory around it.

extension Walk {
    mutating func move(by delta: Int) -> [WalkCommand] {
        let target = min(max(0, window.index + delta), max(0, window.rows.count - 1))
        guard target != window.index else {
            message =
                delta > 0
                ? "This is the last step." : pruned > 0 ? "Earlier steps were pruned." : "This is the first step."
            return [.ring]
        }
        window.index = target
        return arrive() + keepWindow()
    }

    mutating func go(to step: Int) -> [WalkCommand] {
        guard window.covers(step) else { return [.load(around: step)] }
        let before = window.index
        window.select(step)
        tellWhereItIs(wanted: step)
        return window.index == before ? [] : arrive() + keepWindow()
    }

    mutating func load(_ window: WalkWindow, around step: Int) -> [WalkCommand] {
        let before = self.window.selected
        let wasDamaged = self.window.isDamaged
        self.window = window
        pruned = max(pruned, window.pruned)
        lookedFor = max(head, window.rows.last?.step ?? 0)
        self.window.select(step)
        tellWhereItIs(wanted: step)
        if window.isDamaged, !wasDamaged {
            message = message ?? "Steps are damaged or missing: 'verify' lists the damage."
        }
        return self.window.selected == before ? [] : arrive()
    }

    /// Another step is selected: drops what was loaded for the previous one. The scroll position stays, because people
    /// watch one part of the state while they move through the steps.
    private mutating func arrive() -> [WalkCommand] {
        detail = nil
        answer = nil
        paneLines = nil
        return window.selected.map { [.inspect($0.step)] } ?? []
    }

    /// Loads more rows before the end of the window becomes visible.
    func keepWindow() -> [WalkCommand] {
        let margin = min(layout.listRows + 1, WalkWindow.reach / 2)
        guard let step = window.selected?.step, !window.isEnough(margin) else { return [] }
        return [.load(around: step)]
    }

    private mutating func tellWhereItIs(wanted: Int) {
        guard let step = window.selected?.step, step != wanted, wanted != .max else { return }
        let missing = "Step \(wanted) is missing or cannot be read: 'verify' lists the damage."
        if step < wanted {
            message = wanted <= head ? missing : "The last step is \(head)."
        } else if wanted <= pruned, wanted > 1 {
            message = "Step \(wanted) was pruned."
        } else if wanted == 0 {
            message = pruned > 0 ? "The steps up to \(pruned) were pruned." : "There is no step before the first one."
        } else if wanted > pruned {
            message = missing
        }
    }
}
