// The system calls for a full screen: raw keys, the size of the screen, waiting for input, signals.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension System {
    /// Whether TERM names a terminal that can move its cursor and erase what it shows.
    static var canRedraw: Bool {
        !["", "dumb"].contains(environment("TERM") ?? "")
    }

    // MARK: Settings of the terminal

    /// The settings of a terminal, kept to restore them.
    struct TerminalSettings {
        fileprivate var value = termios()
    }

    /// Makes a terminal deliver each key as it is pressed.
    ///
    /// - Returns: The previous settings; nil if the descriptor is not a terminal, or the terminal is gone.
    static func makeRaw(_ descriptor: Int32) -> TerminalSettings? {
        var settings = TerminalSettings()
        guard tcgetattr(descriptor, &settings.value) == 0 else { return nil }
        var raw = settings.value
        cfmakeraw(&raw)
        return set(descriptor, TerminalSettings(value: raw)) ? settings : nil
    }

    /// From now on, until ``CrashGuard/remove()``, a crash restores the terminal.
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

    /// The size of a terminal's screen; nil if it reports none, or zero.
    static func screenSize(_ descriptor: Int32) -> ScreenSize? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        return ScreenSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    // MARK: Waiting and reading

    /// Waits until one of the descriptors is readable.
    ///
    /// - Returns: For each descriptor, whether it has input or is at its end; all false after the time or a signal.
    static func waitForInput(_ descriptors: [Int32], milliseconds: Int) -> [Bool] {
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let count = poll(&entries, nfds_t(entries.count), Int32(clamping: milliseconds))
        return entries.map { count > 0 && $0.revents != 0 }
    }

    /// Reads the available input, at most 4,096 bytes; nil at the end, or if reading failed.
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

    /// Whether a terminal sends the signals of its keys, such as Ctrl-C, to the group of this process.
    static var isInForeground: Bool {
        let terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC)
        guard terminal >= 0 else { return false }
        defer { close(terminal) }
        return tcgetpgrp(terminal) == getpgrp()
    }

    /// Ends the process by a signal that it received, as it would have ended without a handler.
    static func endAsBySignal(_ signal: Int32) {
        SignalPipe.letThrough([signal])
        raise(signal)
    }

    /// Stops the process group, which is all processes of the shell's command line, as Control-Z does.
    static func stopJob() {
        kill(0, SIGTSTP)
    }
}
