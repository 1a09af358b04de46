// What the tool asks of the operating system for a full screen: raw keys, the size, signals that can be waited for.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension System {

    // MARK: Settings of the terminal

    /// How a terminal is set, to be put back.
    struct TerminalSettings {
        fileprivate var value = termios()
    }

    /// Makes a terminal hand over each key as it is pressed.
    ///
    /// - Returns: how it was set before; nil where it is no terminal, or gone.
    static func makeRaw(_ descriptor: Int32) -> TerminalSettings? {
        var settings = TerminalSettings()
        guard tcgetattr(descriptor, &settings.value) == 0 else { return nil }
        var raw = settings.value
        cfmakeraw(&raw)
        return set(descriptor, TerminalSettings(value: raw)) ? settings : nil
    }

    /// Until ``CrashGuard/remove()``, a crash puts the terminal back.
    static func guardAgainstCrash(_ settings: TerminalSettings, farewell: StaticString) {
        CrashGuard.install(settings.value, farewell: farewell)
    }

    @discardableResult
    static func set(_ descriptor: Int32, _ settings: TerminalSettings) -> Bool {
        var value = settings.value
        while tcsetattr(descriptor, TCSADRAIN, &value) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }

    /// nil where it has none, or none that makes sense.
    static func screenSize(_ descriptor: Int32) -> ScreenSize? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        return ScreenSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    // MARK: Waiting and reading

    /// Waits until one of the descriptors has something to read.
    ///
    /// - Returns: which have, or are at their end; all nothing when the time is over or a signal came.
    static func waitForInput(_ descriptors: [Int32], milliseconds: Int) -> [Bool] {
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let count = poll(&entries, nfds_t(entries.count), Int32(clamping: milliseconds))
        return entries.map { count > 0 && $0.revents != 0 }
    }

    /// What there is to read, at most a few thousand bytes; nil at the end, or where it failed.
    static func read(_ descriptor: Int32) -> [UInt8]? {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, count in
            #if canImport(Darwin)
                let length = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
            #elseif canImport(Musl)
                let length = Musl.read(descriptor, buffer.baseAddress, buffer.count)
            #else
                let length = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            #endif
            failure = length < 0 ? errno : length == 0 ? EIO : 0
            count = max(0, length)
        }
        return failure == 0 || failure == EINTR || failure == EAGAIN ? bytes : nil
    }

    // MARK: Signals

    /// The process was sent a signal that ends it: does what would have been done without a handler.
    static func endAsBySignal(_ signal: Int32) {
        SignalPipe.letThrough([signal])
        raise(signal)
    }

    /// Stops the process and all that stands in one line of the shell with it, as Control-Z does.
    static func stopJob() {
        kill(0, SIGTSTP)
    }
}
