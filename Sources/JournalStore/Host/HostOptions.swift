/// How a host opens and closes its streams.
public struct HostOptions: Sendable {
    /// How each stream is opened.
    public var opening = OpenOptions()
    /// How many streams may be open. Beyond that the one that was not used for longest is closed, if no effect of it
    /// runs and no caller holds its store.
    public var maxOpenStreams = 10_000
    /// How many bytes of JSON the states of all open streams may have together; nil for any number. It is measured when
    /// a stream is opened, after its first dispatches, and now and then later.
    public var maxStateBytes: Int?
    /// How many dispatches may be under way. Another one waits, or is refused: see
    /// ``MachineHost/dispatch(_:to:id:cancelID:priority:trackingFeedback:ifFull:)``. One of the machine's middleware does
    /// not wait, because those that are under way can wait for the middleware.
    public var maxDispatches = 4_096
    /// How many streams the host opens at a time by itself: at its start, when timers are due, and when messages
    /// arrive. Their effects start then.
    public var maxOpenings = 32

    /// The defaults.
    public init() {}

    /// With the least values that a host can go by: none open without use, and one dispatch and one opening at a time.
    var clamped: HostOptions {
        var options = self
        options.maxOpenStreams = max(0, maxOpenStreams)
        options.maxStateBytes = maxStateBytes.map { max(0, $0) }
        (options.maxDispatches, options.maxOpenings) = (max(1, maxDispatches), max(1, maxOpenings))
        return options
    }
}

/// What a dispatch to a host does if as many are under way as ``HostOptions/maxDispatches`` allows.
public enum IfFull: Hashable, Sendable {
    /// Waits until another one has ended, in the order of the calls. A call in a cancelled task waits as well.
    case wait
    /// Throws ``JournalError/Code/overloaded``. A call of the machine's middleware is not limited: it does not throw.
    case refuse
}
