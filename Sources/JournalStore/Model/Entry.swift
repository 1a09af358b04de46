/// Identifies a stream inside one journal, for as long as the journal exists.
package struct StreamID: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

/// Where an entry came from. More can be added: a `switch` needs `@unknown default`.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum Origin: Int, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The app dispatched it.
    case dispatched = 0
    /// An effect sent it.
    case effect = 1
    /// A restart policy sent it.
    case restart = 2
    /// A linked machine sent it.
    case machine = 3

    /// The word that the SQL view `journal` shows.
    public var description: String {
        switch self {
        case .dispatched: "dispatched"
        case .effect: "effect"
        case .restart: "restart"
        case .machine: "machine"
        }
    }
}

/// Where an entry came from, as it is stored.
enum StoredOrigin: Int, Hashable, Sendable {
    case dispatched = 0
    case effect = 1
    case restart = 2
    case machine = 3
    /// An effect sent it, and it counts only if that effect is still live when its turn comes.
    case provisional = 4

    init(_ origin: Origin, isProvisional: Bool) {
        self =
            switch origin {
            case .dispatched: .dispatched
            case .effect: isProvisional ? .provisional : .effect
            case .restart: .restart
            case .machine: .machine
            }
    }

    var origin: Origin {
        switch self {
        case .dispatched: .dispatched
        case .effect, .provisional: .effect
        case .restart: .restart
        case .machine: .machine
        }
    }
}

/// What caused an entry: a step, the run of one of its effects, or a step of another stream.
package struct Cause: Hashable, Sendable {
    package var stream: StreamID?
    package var step: Int
    package var run: Int?

    package init(stream: StreamID? = nil, step: Int, run: Int? = nil) {
        (self.stream, self.step, self.run) = (stream, step, run)
    }
}

/// An action to be appended. Its digests are computed here, by the caller and not by the writer.
package struct NewEntry: Sendable {
    /// A dispatch ID, and what a later dispatch with the same ID is compared with.
    struct Dispatch: Sendable {
        let id: String
        /// The digest of the action.
        let action: Digest
    }

    /// The versions of a machine that can be stored.
    static let versions = 0...1 << 53

    package let stream: StreamID
    package let origin: Origin
    /// Whether it counts only if its effect is still live when its turn comes.
    package let isProvisional: Bool
    package let cause: Cause?
    package let version: Int
    package let action: String
    let dispatch: Dispatch?
    /// The ID by which a reducer can cancel everything that this action leads to.
    package let cancelID: String?
    private(set) var body = Digest(high: 0, low: 0)

    package init(
        stream: StreamID, action: String, version: Int = 1, origin: Origin = .dispatched, cause: Cause? = nil,
        isProvisional: Bool = false, dispatchID: String? = nil, cancelID: String? = nil
    ) {
        (self.stream, self.origin, self.cause, self.version) = (stream, origin, cause, version)
        self.isProvisional = isProvisional
        (self.action, self.cancelID) = (action, cancelID)
        dispatch = dispatchID.map { Dispatch(id: $0, action: Digest(of: action)) }
        body = Digest.body(of: self)
    }

    /// The dispatch ID: appending again with the same ID returns the first step.
    package var dispatchID: String? { dispatch?.id }

    var storedOrigin: StoredOrigin { StoredOrigin(origin, isProvisional: isProvisional) }
}

extension NewEntry {
    /// A copy with another text for its action.
    package func with(action: String) -> NewEntry {
        NewEntry(
            stream: stream, action: action, version: version, origin: origin, cause: cause,
            isProvisional: isProvisional, dispatchID: dispatchID, cancelID: cancelID)
    }
}

/// One action in the journal. Immutable.
public struct Entry: Hashable, Sendable {
    /// Its place in the order over all streams of the journal.
    public var position: Int
    /// The stream's name.
    public var stream: String
    /// Its number in its stream: 1, 2, 3 …
    public var step: Int
    /// When it was committed, by the journal's clock.
    public var time: Timestamp
    /// Where it came from.
    public var origin: Origin
    package var cause: Cause?
    /// The step that caused it, if any: a step of ``causeStream`` or, if that is nil, of the same stream.
    public var causeStep: Int? { cause?.step }
    /// The ordinal of the effect of ``causeStep`` that sent it, if one did.
    public var causeOrdinal: Int? { cause?.run }
    /// The stream of ``causeStep``, if it is another one.
    public var causeStream: String?
    /// The version of the machine that wrote it.
    public var version: Int
    /// The action as it is stored: JSON.
    public var action: String
    /// The ID that cancels everything it leads to, as JSON, if the caller gave one.
    public var cancelID: String?
    /// The digest that chains it to the entry before.
    public var digest: Digest
    /// Whether it counts only if its effect is still live when its turn comes. The outcome of its step says whether it was.
    package var isProvisional = false

    var storedOrigin: StoredOrigin { StoredOrigin(origin, isProvisional: isProvisional) }
}

extension Entry: CustomStringConvertible {
    /// The step, the stream, where and when the action came from, and its name: the first key of its JSON.
    public var description: String {
        StepLine.text(step, of: stream, origin, at: time, action: ActionName.key(of: action))
    }
}

extension Entry {
    /// The time and digest that the reduction of this entry uses.
    var stamp: Appended.Stamp { Appended.Stamp(time: time, digest: digest) }
}

/// The step and position of an appended entry.
public struct Appended: Hashable, Sendable {
    /// Its step.
    public var step: Int
    /// Its position; nil if a repeated dispatch refers to an entry that was pruned since.
    public var position: Int?
    /// Whether the dispatch ID was used before: the step is the first one's, and nothing was appended.
    public var isRepeat: Bool { stamp == nil }
    /// The time and digest that the reduction of the entry uses; nil if nothing was appended.
    package var stamp: Stamp?

    package struct Stamp: Hashable, Sendable {
        package var time: Timestamp
        package var digest: Digest
    }

    package init(step: Int, position: Int?, stamp: Stamp?) {
        (self.step, self.position, self.stamp) = (step, position, stamp)
    }
}
