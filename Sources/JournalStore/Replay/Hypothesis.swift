/// The steps that a replay changes: "what if step 40 had not happened?"
///
/// The journal is not changed, nor are the time, identity and random values of the other steps.
struct Hypothesis<Action: Sendable>: Sendable {
    /// The steps that are not reduced.
    var skipped: Set<Int>
    /// The actions that are reduced instead of the stored ones.
    var replaced: [Int: Action] { didSet { isReplacing = !replaced.isEmpty } }
    /// Whether any action is replaced. Stored, because it is checked at each step.
    private(set) var isReplacing: Bool

    init(skipped: Set<Int> = [], replaced: [Int: Action] = [:]) {
        self.skipped = skipped
        self.replaced = replaced
        isReplacing = !replaced.isEmpty
    }

    /// The last step, at most `step`, that is as it happened. Snapshots and bases after it do not apply.
    func limit(_ step: Int) -> Int {
        let first = min(skipped.min() ?? .max, replaced.keys.min() ?? .max)
        return first > step ? step : max(first, 1) - 1
    }
}
