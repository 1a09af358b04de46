/// What a host found at its start.
public struct HostRecovery: Hashable, Sendable {
    /// How many streams it opened, because something was to be done in them.
    public var opened = 0
    /// How many streams only wait for a timer or a delayed effect. They are opened when it is due.
    public var waiting = 0
    /// The streams that could not be opened, the first hundred of them. Each is tried again when it is used. If the list
    /// of streams could not be read to its end, that error too.
    public var failures: [JournalError] = []
    /// How many such failures there were.
    public var failed = 0

    private static let mostFailures = 100

    mutating func add(_ failure: JournalError) {
        failed += 1
        if failures.count < Self.mostFailures { failures.append(failure) }
    }
}

/// What a host left at its end. The next host of the machine goes on with it.
public struct HostShutdown: Hashable, Sendable {
    /// An effect whose body was still running.
    public struct Interrupted: Hashable, Sendable {
        /// Its stream.
        public var stream: String
        /// Its record. The next opening applies its restart policy.
        public var run: EffectRun
    }

    /// How many streams were closed.
    public var closed = 0
    /// The effects whose bodies were running at the deadline.
    public var interrupted: [Interrupted] = []
    /// The streams whose last records could not be written: the next opening computes these records from the entries
    /// again.
    public var failures: [JournalError] = []
}
