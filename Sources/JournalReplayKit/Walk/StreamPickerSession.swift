/// Runs the choice of a stream: passes keys to ``StreamPicker``, executes its commands, and draws it.
struct StreamPickerSession {
    enum Ending {
        case chosen(String)
        case quit
        case signal(Int32)
    }

    private let terminal: Terminal
    private var picker: StreamPicker
    private var painter: ScreenPainter
    private var keys = KeyInput()

    init(file: String, _ rows: [StreamPicker.Row], _ terminal: Terminal, usesColour: Bool) {
        self.terminal = terminal
        picker = StreamPicker(file: file, rows: rows, size: terminal.size)
        painter = ScreenPainter(usesColour: usesColour)
    }

    mutating func run() -> Ending {
        terminal.enter()
        defer { terminal.leave() }
        while true {
            terminal.write(painter.paint(picker.frame))
            let wakeup = terminal.wait(milliseconds: keys.escapeEnd == nil ? 1_000 : 60)
            if let signal = SignalPipe.endings.first(where: wakeup.signals.contains) { return .signal(signal) }
            if wakeup.isGone { return .quit }
            if wakeup.signals.contains(SignalPipe.continued) { goOn() }
            if wakeup.signals.contains(SignalPipe.stop) { suspend() }
            if wakeup.signals.contains(SignalPipe.changedSize) { takeSize() }
            for key in keys.pressed(wakeup.bytes) {
                switch picker.press(key) {
                case .choose(let name): return .chosen(name)
                case .quit: return .quit
                case .ring: terminal.write("\u{7}")
                case .redraw: painter.forget()
                case .suspend: suspend()
                case nil: break
                }
            }
        }
    }

    private mutating func goOn() {
        terminal.resume()
        painter.forget()
    }

    private mutating func suspend() {
        terminal.suspend()
        takeSize()
    }

    private mutating func takeSize() {
        painter.forget()
        picker.size = terminal.size
    }
}
