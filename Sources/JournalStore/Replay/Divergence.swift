/// A place where a replay comes to something else than the journal holds.
public struct Divergence: Hashable, Sendable, Codable {
    /// What it is that differs.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// A stored snapshot holds another state than the steps up to it lead to.
        case snapshot
        /// Going on from a snapshot leads to another state than going on from the steps before it.
        case restart
        /// A step was refused, and is not now, or the other way round.
        case outcome
        /// `.next` added other actions.
        case cascade
        /// The step returned other effects.
        case effects
        /// The record of an effect does not belong to what the step returns.
        case record
        /// Another process, in which sets and dictionaries have another order, came to another state.
        case process
    }

    /// What differs.
    public var kind: Kind
    /// The step at which it shows.
    public var step: Int
    /// The last step up to which everything is known to be the same.
    public var lastGood: Int
    /// The name of the action of that step; nil for the state before the first.
    public var action: String?
    /// What was expected, the `old`, and what was found, the `new`.
    public var changes: [ValueDiff.Change]

    package init(kind: Kind, step: Int, lastGood: Int, action: String?, changes: [ValueDiff.Change]) {
        (self.kind, self.step, self.lastGood) = (kind, step, lastGood)
        (self.action, self.changes) = (action, changes)
    }

    /// What to do about it.
    public var advice: String {
        switch kind {
        case .snapshot:
            "If the code was changed, raise the machine's version. If not, the reducer is not pure: it must take time and chance from "
                + "its step, keep no state outside, and must not depend on the order of a set or a dictionary."
        case .restart:
            "The state holds something that its Codable conformance leaves out, so a restart changes it."
        case .outcome, .cascade, .effects, .record:
            "If the code was changed, raise the machine's version: what is running is looked for in what the step returns."
        case .process:
            "The reducer depends on the order of a set or a dictionary, on an address, or on something outside: sort what it goes through."
        }
    }

    /// What differs, in a few words.
    var headline: String {
        switch kind {
        case .snapshot: "the snapshot holds another state than the replay"
        case .restart: "going on from the snapshot of step \(lastGood) leads to another state"
        case .outcome: "the step came to another outcome"
        case .cascade: "the step added other actions"
        case .effects: "the step returned other effects"
        case .record: "an effect's record does not belong to what the step returned"
        case .process: "another process came to another state"
        }
    }
}

extension Divergence: CustomStringConvertible {
    /// Where and what, then the differences, a line or more for each, then what to do.
    public var description: String {
        let name = action.map { " (\($0))" } ?? ""
        let since = (1..<step - 1).contains(lastGood) ? " Everything is the same up to step \(lastGood)." : ""
        let lines = changes.map { "  \($0)".replacing("\n", with: "\n  ") }
        return (["step \(step)\(name): \(headline); expected → found.\(since)"] + lines + [advice]).joined(
            separator: "\n")
    }
}

/// What the verification of a stream by its machine found.
public struct ReplayReport: Hashable, Sendable, Codable {
    /// The stream.
    public var stream: String
    /// The machine's version.
    public var version: Int
    /// The step the replay began behind: 0, or where the stream was pruned.
    public var firstStep: Int
    /// The last step that was reduced.
    public var lastStep: Int
    /// How many snapshots were compared.
    public var snapshots = 0
    /// How many records of steps and effects were compared.
    public var records = 0
    /// The first difference; nil where there is none.
    public var divergence: Divergence?
    /// What newer code makes of an older history: differences behind which a base stands, or will from the next opening on. Nobody goes by
    /// them; at most ``limit``.
    public var ofOlderCode: [Divergence] = []
    /// The steps of snapshots that cannot be read.
    public var unreadableSnapshots: [Int] = []

    /// How many of the differences of older code are listed at the most.
    public static let limit = 20

    /// Whether the replay came to what the journal holds.
    public var isFaithful: Bool { divergence == nil }
}
