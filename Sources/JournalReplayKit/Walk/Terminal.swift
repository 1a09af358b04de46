/// The terminal of the process as a full screen: keys in, pictures out. It decides nothing.
///
/// It owns how the terminal is set. Whatever ends it, the screen is as it was: ``leave()`` can be called at any time, and
/// goes with the last reference.
final class Terminal {
    /// What there is to do.
    struct Wakeup {
        var bytes: [UInt8] = []
        var signals: Set<Int32> = []
        /// Nobody is there any more.
        var isGone = false
    }

    let signals: SignalPipe
    private var settings: System.TerminalSettings?
    private var isEntered = false

    /// Of a terminal that does not say.
    private static let usualSize = ScreenSize(columns: 80, rows: 24)

    /// The other screen, no cursor, and no wrapping: a sign that is wider than it was taken for must not make a line more.
    private static let entering = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J"
    private static let leaving: StaticString = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// nil where the process has no descriptors left.
    init?() {
        guard let pipe = SignalPipe() else { return nil }
        signals = pipe
    }

    deinit { leave() }

    static var isThere: Bool {
        System.isTerminal(System.standardInput) && System.isTerminal(System.standardOutput)
    }

    var size: ScreenSize { System.screenSize(System.standardOutput) ?? Terminal.usualSize }

    func enter() {
        guard !isEntered else { return }
        isEntered = true
        signals.handle(SignalPipe.endings + [SignalPipe.changedSize, SignalPipe.continued, SignalPipe.stop])
        resume()
        if let settings { System.guardAgainstCrash(settings, farewell: Terminal.leaving) }
    }

    /// Somebody else may have had the terminal meanwhile.
    func resume() {
        let before = System.makeRaw(System.standardInput)
        // What it was set to at first is what it gets back.
        if settings == nil { settings = before }
        write(Terminal.entering)
    }

    func leave() {
        guard isEntered else { return }
        isEntered = false
        write(Terminal.leaving.description)
        if let settings {
            CrashGuard.remove()
            System.set(System.standardInput, settings)
        }
        signals.unhandle()
    }

    /// Stops the process, with the screen as it was. Returns when it goes on.
    func suspend() {
        leave()
        // The signal may take a moment to arrive. Where no shell could bring the job back, it never does.
        signals.handle([SignalPipe.continued])
        System.stopJob()
        _ = System.waitForInput([signals.readEnd], milliseconds: 200)
        _ = signals.numbers()
        signals.unhandle()
        enter()
    }

    func wait(milliseconds: Int) -> Wakeup {
        let ready = System.waitForInput([System.standardInput, signals.readEnd], milliseconds: milliseconds)
        var wakeup = Wakeup()
        if ready[1] { wakeup.signals = signals.numbers() }
        if ready[0] {
            let bytes = System.read(System.standardInput)
            wakeup.bytes = bytes ?? []
            wakeup.isGone = bytes == nil
        }
        return wakeup
    }

    /// Whether a key waits.
    var hasInput: Bool { System.waitForInput([System.standardInput], milliseconds: 0)[0] }

    func write(_ text: String) {
        let bytes = Array(text.utf8)
        // A terminal that is gone is told of by reading.
        _ = bytes.withUnsafeBytes { System.write($0, to: System.standardOutput) }
    }
}
