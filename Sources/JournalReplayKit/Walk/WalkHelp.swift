/// The keys, as a person reads them.
enum WalkHelp {
    static let lines = [
        "MOVING",
        "  ↑ ↓  k j  ← →  p n     one step back or on",
        "  PgUp PgDn  ^B ^F       one page",
        "  Home End  g G          the first step, the newest step",
        "  : or a digit, Enter    jump to a step",
        "  space, + and -         play the steps, faster and slower; any key stops",
        "SEARCHING",
        "  / text, Enter          the next step with this text in its action",
        "  n N                    the next match, the one before; Esc ends the search",
        "SEEING",
        "  Tab d                  the state, or what the step changed",
        "  a                      the entry as it is stored",
        "  [ ]  Shift-↑ ↓  { }    scroll what is beside the steps: a line, a page",
        "  e                      show or hide the effects",
        "  ^L                     draw the screen anew",
        "LEAVING",
        "  q  Esc  ^C             quit",
        "  ^Z                     suspend; fg comes back",
        "",
        "Before an action: e sent by an effect, r by a restart, m by another machine.",
    ]
}

extension WalkView {
    func helpLines(from top: Int) -> [StyledLine] {
        (top..<(top + layout.body)).map { index in
            guard WalkHelp.lines.indices.contains(index) else { return StyledLine("") }
            let text = WalkHelp.lines[index]
            let isHeading = !text.contains { $0.isLowercase } && !text.isEmpty
            return StyledLine(DisplayWidth.clip(text, to: walk.size.columns), isHeading ? .heading : .plain)
        }
    }
}
