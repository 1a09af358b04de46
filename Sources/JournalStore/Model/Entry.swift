/// What caused an entry: a step, the run of one of its effects, or a step of another stream.
package struct Cause: Hashable, Sendable {
    package var stream: StreamID?
    package var step: Int
    package var run: Int?

    package init(stream: StreamID? = nil, step: Int, run: Int? = nil) {
        (self.stream, self.step, self.run) = (stream, step, run)
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
    /// The action as it is stored: the text that the machine's codec wrote, which usually is JSON.
    public var action: String
    /// The ID that cancels everything it leads to, as JSON, if the caller gave one.
    public var cancelID: String?
    /// The digest that chains it to the entry before.
    public var digest: Digest
    /// Whether it counts only if its effect is still live when its turn comes. The outcome of its step says whether it
    /// was.
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

    /// Whether a reducer may have seen it. None has seen a message that a closed stream got, until a step from it on is
    /// settled.
    func wasReduced(settledStep: Int) -> Bool { step <= settledStep || origin != .machine }
}
