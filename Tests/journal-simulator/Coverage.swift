import JournalStore

/// How often each kind of event happened. An event of the list that never happens is a hole in the simulation.
struct Coverage {
    private(set) var counts: [String: Int] = [:]

    mutating func add(_ event: String, _ count: Int = 1) { counts[event, default: 0] += count }

    /// The events of the list that never happened.
    var missing: [String] { Coverage.expected.filter { counts[$0, default: 0] == 0 } }

    static let expected: [String] =
        Spec.Kind.allCases.map { "effect \($0)" } + [
            "action of an effect that an earlier one had cancelled", "another attempt", "backup",
            "body that began again", "body that throws", "awaited state", "cancellation",
            "cancellation by a condition", "cancellation of a whole dispatch", "close",
            "another machine", "commit", "damage that an opening does not meet", "damage that an opening refuses",
            "dispatch", "dispatch of many", "effect that a fork asks about", "failed dispatch", "failed opening",
            "failing allocation", "fault", "fault that passed", "follower", "fork", "host", "refusing table",
            "intervention in a closed stream", "jump of the clock", "kill",
            "life that goes on in a fork",
            "close of one stream",
            "kill after a commit", "kill at a body's end", "kill at a body's start", "kill at an operation",
            "noticed loss", "notice copied-after-failure", "notice crash-loop", "notice effect-failed", "opening",
            "orphaned effect",
            "overtaken writer",
            "power cut", "provisional entry", "pruning", "pruning in several transactions",
            "pruning that ended after a part",
            "recorded attempt", "recovery from a fault", "rejected action", "released effect",
            "released effect that its queue delays", "remembered step",
            "repeated dispatch", "repeated dispatch of a rejected action",
            "repeated dispatch of an older version's action",
            "retry by an operator", "reused dispatch ID", "second opening", "skipped step", "state that did not come",
            "stream that its host has closed",
            "verification",
        ]
        + ["cancelled", "evicted", "discarded", "failed", "completed"].map { "effect that ended as \($0)" }
        + Origin.allCases.map { "entry from \($0)" }
}
