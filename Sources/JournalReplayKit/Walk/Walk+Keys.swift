// What each key does. `WalkHelp` describes the keys.

extension Walk {
    mutating func press(_ key: KeyPress) -> [WalkCommand] {
        switch key {
        case .control("c"), .control("d"): return [.quit]
        case .control("z"): return [.suspend]
        case .control("l"): return [.redraw]
        default: break
        }
        switch mode {
        case .walking: return pressWalking(key)
        case .playing: return pressPlaying(key)
        case .jumping(let text): return type(key, into: text, Mode.jumping) { $0.jump(to: $1) }
        case .asking(let text): return type(key, into: text, Mode.asking) { $0.search(for: $1) }
        case .searching:
            guard key == .escape || key == .text("q") else { return [] }
            return endSearch("The search was stopped.")
        case .help(let top): return pressHelp(key, top)
        }
    }

    private mutating func pressWalking(_ key: KeyPress) -> [WalkCommand] {
        switch key {
        case .up, .left, .text("k"), .text("p"), .control("p"): return move(by: -1)
        case .down, .right, .text("j"), .control("n"): return move(by: 1)
        case .text("n"): return query.map { search(for: $0) } ?? move(by: 1)
        case .text("N"): return query.map { search(for: $0, backwards: true) } ?? [.ring]
        case .pageUp, .control("b"): return move(by: -max(1, layout.listRows))
        case .pageDown, .control("f"): return move(by: max(1, layout.listRows))
        case .home, .text("g"): return go(to: 1)
        // Always read again: an app may have added steps.
        case .end, .text("G"): return [.load(around: .max)]
        case .tab, .text("d"): return show(pane == .state ? .changes : .state)
        case .text("a"): return show(pane == .entry ? .state : .entry)
        case .text("["), .shiftUp: return scroll(by: -1)
        case .text("]"), .shiftDown: return scroll(by: 1)
        case .text("{"): return scroll(by: -max(1, layout.paneRows))
        case .text("}"): return scroll(by: max(1, layout.paneRows))
        case .text("e"):
            showsEffects.toggle()
            layOutPane()
            return []
        case .text(":"): return enter(.jumping(""))
        case .text(let digit) where digit.isASCII && digit.isWholeNumber: return enter(.jumping(String(digit)))
        case .text("/"): return enter(.asking(""))
        case .text(" "): return play()
        case .text("+"), .text("="), .text("-"): return changePace(key)
        case .text("?"), .text("h"): return enter(.help(0))
        case .escape where query != nil: return endSearch("The search has ended.")
        case .escape:
            message = "q quits."
            return [.ring]
        case .text("q"), .text("Q"): return [.quit]
        default: return [.ring]
        }
    }

    private mutating func enter(_ mode: Mode) -> [WalkCommand] {
        self.mode = mode
        return []
    }

    // MARK: Playing

    private mutating func play() -> [WalkCommand] {
        mode = .playing
        // At the last step, play from the first one.
        return window.hasEnd && window.index >= window.rows.count - 1 ? go(to: 1) : []
    }

    /// Goes to the next step, unless the pane of this one is still loading.
    mutating func playOn() -> [WalkCommand] {
        guard !isWaiting else { return [] }
        let commands = move(by: 1)
        if commands == [.ring] { mode = .walking }
        return commands
    }

    private mutating func pressPlaying(_ key: KeyPress) -> [WalkCommand] {
        switch key {
        case .text("+"), .text("="), .text("-"): return changePace(key)
        case .text("q"), .text("Q"): return [.quit]
        default: return enter(.walking)
        }
    }

    private mutating func changePace(_ key: KeyPress) -> [WalkCommand] {
        let isPossible = changePace(by: key == .text("-") ? 1 : -1)
        message = "Plays one step every \(Walk.paces[pace]) ms."
        return isPossible ? [] : [.ring]
    }

    // MARK: Help

    private mutating func pressHelp(_ key: KeyPress, _ top: Int) -> [WalkCommand] {
        let last = max(0, WalkHelp.lines.count - layout.body)
        switch key {
        case .down, .text("j"), .text("]"): return enter(.help(min(last, top + 1)))
        case .up, .text("k"), .text("["): return enter(.help(max(0, top - 1)))
        default: return enter(.walking)
        }
    }
}
