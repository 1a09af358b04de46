/// The terminal of the process as a full screen: keys in, frames out. It decides nothing.
///
/// It owns the settings of the terminal and always restores them and the screen: ``leave()`` can be called at any time,
/// and is called when the last reference is released.
final class Terminal {
    /// What arrived while waiting.
    struct Wakeup {
        var bytes: [UInt8] = []
        var signals: Set<Int32> = []
        /// The terminal was closed.
        var isGone = false
    }

    let signals: SignalPipe
    private var settings: System.TerminalSettings?
    private var isEntered = false
    /// Where other code printed before.
    private var printed: Int32?

    /// The size if the terminal does not report one.
    private static let usualSize = ScreenSize(columns: 80, rows: 24)

    /// Alternate screen, no cursor, and no wrapping: a character that is wider than expected must not add a line.
    private static let entering = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J"
    private static let leaving: StaticString = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// Creates the terminal; nil if the process has no descriptors left.
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
        printed = System.dropPrints()
        signals.handle(SignalPipe.endings + [SignalPipe.changedSize, SignalPipe.continued, SignalPipe.stop])
        resume()
        if let settings { System.guardAgainstCrash(settings, farewell: Terminal.leaving) }
    }

    /// Sets up the terminal again, because another process may have used it meanwhile.
    func resume() {
        let before = System.makeRaw(System.standardInput)
        // The first settings are the ones to restore.
        if settings == nil { settings = before }
        write(Terminal.entering)
    }

    func leave() {
        guard isEntered else { return }
        isEntered = false
        printed.map { System.allowPrints(to: $0) }
        printed = nil
        write(Terminal.leaving.description)
        if let settings {
            CrashGuard.remove()
            System.set(System.standardInput, settings)
        }
        signals.unhandle()
    }

    /// Restores the screen and stops the process. Returns when the process continues.
    func suspend() {
        leave()
        // The signal may take a moment to arrive. It never arrives if no shell could continue the job.
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

    /// Whether a key is waiting to be read.
    var hasInput: Bool { System.waitForInput([System.standardInput], milliseconds: 0)[0] }

    func write(_ text: String) {
        let bytes = Array(text.utf8)
        // A write error is ignored: the next read finds out that the terminal is gone.
        _ = bytes.withUnsafeBytes { System.write($0, to: System.standardOutput) }
    }
}
