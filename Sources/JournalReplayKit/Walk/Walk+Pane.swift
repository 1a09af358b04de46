import JournalStore

// The content of the selected step, and the visible part of it.

extension Walk {
    static let noMachine = "No machine is loaded, so no state is shown: --machine lib….so loads one."

    mutating func inspect(_ detail: WalkDetail) -> [WalkCommand] {
        guard detail.entry.step == window.selected?.step else { return [] }
        take(detail)
        layOutPane()
        return ask()
    }

    /// Takes the selected step as it is now: its outcome can be newer than that in the list.
    private mutating func take(_ detail: WalkDetail) {
        self.detail = detail
        window.rows[window.index].outcome = detail.outcome
    }

    mutating func show(_ pane: WalkPane) -> [WalkCommand] {
        guard hasStates else {
            message = Walk.noMachine
            return [.ring]
        }
        self.pane = pane
        scroll = 0
        layOutPane()
        return ask()
    }

    private func ask() -> [WalkCommand] {
        guard paneLines == nil, let step = window.selected?.step, pane != .entry else { return [] }
        return [.ask(step, pane)]
    }

    mutating func look(_ stream: StreamInfo, _ detail: WalkDetail?) -> [WalkCommand] {
        if let detail, detail.entry.step == window.selected?.step { take(detail) }
        let isPruned = stream.prunedStep != pruned && window.selected != nil
        head = stream.headStep
        pruned = stream.prunedStep
        // New steps that are not visible are not read. The first ones are being loaded.
        guard isPruned || window.hasEnd && head > (lookedFor ?? head) else { return [] }
        return [.load(around: window.selected?.step ?? 1)]
    }

    mutating func scroll(by delta: Int) -> [WalkCommand] {
        let last = max(0, (paneLines?.count ?? 0) - layout.paneRows)
        let target = min(max(0, scroll + delta), last)
        guard target != scroll else { return [.ring] }
        scroll = target
        return []
    }

    /// Lays out the loaded content for the size of the pane.
    mutating func layOutPane() {
        paneLines = PaneText(width: layout.paneWidth).lines(of: self)
        guard let paneLines else { return }
        if pane == .state, let text = scrollsTo {
            let stored = WalkSearch.asStored(text)
            scroll = paneLines.firstIndex { WalkSearch.asStored($0.text).contains(stored) } ?? scroll
            scrollsTo = nil
        }
        scroll = min(scroll, max(0, paneLines.count - layout.paneRows))
    }
}
