/// A difference between a replay and what the journal holds.
public struct Divergence: Hashable, Sendable, Codable {
    /// What differs. More can be added: a `switch` needs `@unknown default`.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// A stored snapshot holds another state than the one that the entries up to its step give.
        case snapshot
        /// The steps after a snapshot give another state if they are reduced from the stored state than from the
        /// computed one.
        case restart
        /// The step's outcome differs, or the reason of a rejection.
        case outcome
        /// `.next` added different actions.
        case cascade
        /// The step returned different effects.
        case effects
        /// The record of a run does not match the effects that the step returns.
        case record
        /// Another process, in which sets and dictionaries are ordered differently, computed a different state.
        case process
    }

    /// What differs.
    public var kind: Kind
    /// The step at which the difference was found.
    public var step: Int
    /// The last step up to which the replay is known to match.
    public var lastGood: Int
    /// The name of the action of that step; nil for the state before the first.
    public var action: String?
    /// What was expected (`old`) and what was found (`new`).
    public var changes: [ValueDiff.Change]

    /// Whether an older version wrote the step and no snapshot follows it, so that an opening reduces it again.
    package var isReducedAgain: Bool

    package init(
        kind: Kind, step: Int, lastGood: Int, action: String?, changes: [ValueDiff.Change],
        isReducedAgain: Bool = false
    ) {
        (self.kind, self.step, self.lastGood) = (kind, step, lastGood)
        (self.action, self.changes, self.isReducedAgain) = (action, changes, isReducedAgain)
    }

    /// What to do about it.
    public var advice: String {
        switch kind {
        case _ where isReducedAgain:
            "An older version wrote this step, and no snapshot follows it: an opening reduces it with this version, "
                + "and that counts. `journal-replay snapshot` with `--all --yes`, run with the older code, keeps what "
                + "it had led to."
        case .snapshot:
            "If the code was changed, raise the machine's version. If a stored property was renamed or changed, "
                + "convert the states too, or its value is lost. If neither, the reducer is not pure: \(Self.places), "
                + "and for a value that its Codable conformance does not give back."
        case .restart:
            "The state holds something that its Codable conformance leaves out, so a restart changes it."
        case .outcome, .cascade:
            "If the code was changed, raise the machine's version. If not, the reducer is not pure: \(Self.places)."
        case .effects, .record:
            "If the code was changed, raise the machine's version. That brings no unfinished effect back: a restart finds it "
                + "by its name and its ID in what the step returns, so keep both (and the type of the ID), or let the "
                + "effect end first. If the code was not changed, the reducer is not pure: \(Self.places)."
        case .process:
            "The reducer is not pure: \(Self.places)."
        }
    }

    /// Where to look.
    private static let places =
        "look for Date() and UUID() (its step has both), random() without 'using: &step', global variables, static "
        + "properties and values of the environment; then for the order of a set or dictionary (sort what it iterates "
        + "over)"

    /// What differs, in a few words.
    var headline: String {
        switch kind {
        case .snapshot: "the snapshot holds a different state than the replay"
        case .restart: "folding on from the snapshot of step \(lastGood) results in a different state"
        case .outcome: "the step has a different outcome"
        case .cascade: "the step added different actions"
        case .effects: "the step returned different effects"
        case .record: "an effect's record does not match what the step returned"
        case .process: "another process computed a different state"
        }
    }
}

extension Divergence: CustomStringConvertible {
    /// The step and what differs, then the differences, one or more lines each, then the advice.
    public var description: String { difference + "\n" + advice }

    /// The description without the advice.
    package var difference: String {
        let name = action.map { " (\($0))" } ?? ""
        let since = lastGood > 0 && lastGood < step - 1 ? " Everything is the same up to step \(lastGood)." : ""
        let lines = changes.map { "  \($0)".replacing("\n", with: "\n  ") }
        return (["step \(step)\(name): \(headline); expected → found.\(since)"] + lines).joined(separator: "\n")
    }
}
