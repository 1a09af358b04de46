/// The help text for the keys.
enum WalkHelp {
    static let lines = [
        "MOVING",
        "  ↑ ↓  k j  ← →  p n     one step back or forward",
        "  PgUp PgDn  ^B ^F       one page back or forward",
        "  Home End  g G          the first step, the newest step",
        "  : or a digit, Enter    jump to a step",
        "  space, + and -         play the steps, faster, slower; any other key stops",
        "SEARCHING",
        "  / text, Enter          the next step with this text in its action, or where",
        "                         it appears in the state (with a machine)",
        "  n N                    the next match, the previous one; Esc ends the search",
        "VIEWING",
        "  Tab d                  the state, or what the step changed",
        "  a                      the entry as it is stored",
        "  [ ]  Shift-↑ ↓  { }    scroll the pane beside the steps by a line, by a page",
        "  e                      show or hide the effects",
        "  ^L                     redraw the screen",
        "LEAVING",
        "  q  ^C  ^D              quit",
        "  ^Z                     suspend; the shell's fg resumes",
        "",
        "Before an action: e = from an effect, r = from a restart, m = from a machine.",
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
