/// Names a stream inside one journal, for as long as the journal exists.
package struct StreamID: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

/// Where an entry came from.
public enum Origin: Int, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The app dispatched it.
    case dispatched = 0
    /// An effect sent it.
    case effect = 1
    /// A restart policy sent it.
    case restart = 2
    /// A connected machine sent it.
    case machine = 3

    /// The word the journal's view shows.
    public var description: String {
        switch self {
        case .dispatched: "dispatched"
        case .effect: "effect"
        case .restart: "restart"
        case .machine: "machine"
        }
    }
}

/// What made an entry: a step, or the run of one of its effects, or a step of another stream.
package struct Cause: Hashable, Sendable {
    package var stream: StreamID?
    package var step: Int
    package var run: Int?

    package init(stream: StreamID? = nil, step: Int, run: Int? = nil) {
        self.stream = stream
        self.step = step
        self.run = run
    }
}

/// An action that is to be appended. Its digest's own part is computed here, on the caller, and not by the writer.
package struct NewEntry: Sendable {
    package let stream: StreamID
    package let origin: Origin
    package let cause: Cause?
    package let version: Int
    package let action: String
    /// The caller's own ID: the same one again gives the first one's step.
    package let dispatchID: String?
    /// By which a reducer can cancel all that this leads to.
    package let cancelID: String?
    private(set) var body = Digest(high: 0, low: 0)

    package init(
        stream: StreamID, action: String, version: Int = 1, origin: Origin = .dispatched, cause: Cause? = nil,
        dispatchID: String? = nil, cancelID: String? = nil
    ) {
        self.stream = stream
        self.origin = origin
        self.cause = cause
        self.version = version
        self.action = action
        self.dispatchID = dispatchID
        self.cancelID = cancelID
        body = Digest.body(of: self)
    }
}

extension NewEntry {
    /// The same with another text for its action.
    package func with(action: String) -> NewEntry {
        NewEntry(
            stream: stream, action: action, version: version, origin: origin, cause: cause, dispatchID: dispatchID,
            cancelID: cancelID)
    }
}

/// One action in the journal. Immutable.
public struct Entry: Hashable, Sendable {
    /// Its place in the order over all streams of the journal.
    public var position: Int
    /// The stream's name.
    public var stream: String
    /// Its place in its stream: 1, 2, 3 …
    public var step: Int
    /// When it was committed, by the journal's clock.
    public var time: Timestamp
    /// Where it came from.
    public var origin: Origin
    /// The step that caused it, where one did: of ``causeStream`` or, where that is nil, of the same stream.
    public var causeStep: Int?
    /// The effect among those of ``causeStep`` that sent it, where one did.
    public var causeRun: Int?
    /// The stream of ``causeStep``, where it is another one.
    public var causeStream: String?
    /// The version of the machine that wrote it.
    public var version: Int
    /// The action as it is stored: JSON.
    public var action: String
    /// The ID that cancels all that it leads to, as JSON, where the caller gave one.
    public var cancelID: String?
    /// Chains it to the entry before.
    public var digest: Digest
}

extension Entry {
    /// What a reducer is told of it.
    var stamp: Appended.Stamp { Appended.Stamp(time: time, digest: digest) }
}

/// Where an appended entry stands.
public struct Appended: Hashable, Sendable {
    /// Its place in its stream.
    public var step: Int
    /// Its place in the order over all streams; nil where the entry of a repeated dispatch was pruned since.
    public var position: Int?
    /// Whether the dispatch ID was known already: this is the first one's step, and nothing was appended.
    public var isRepeat: Bool { stamp == nil }
    /// What a reducer is told of it; nil where nothing was appended.
    package var stamp: Stamp?

    package struct Stamp: Hashable, Sendable {
        package var time: Timestamp
        package var digest: Digest
    }

    package init(step: Int, position: Int?, stamp: Stamp?) {
        self.step = step
        self.position = position
        self.stamp = stamp
    }
}
