/// What a replay is to take for something else than it was: "what if step 40 had not happened?"
///
/// The journal is as it was; time, identity and chance of the other steps too.
struct Hypothesis<Action: Sendable>: Sendable {
    /// The steps that are not reduced.
    var skipped: Set<Int>
    /// The actions that are reduced instead.
    var replaced: [Int: Action] {
        didSet { isReplacing = !replaced.isEmpty }
    }
    /// Whether there are any. Kept, as it is asked at each step.
    private(set) var isReplacing: Bool

    init(skipped: Set<Int> = [], replaced: [Int: Action] = [:]) {
        self.skipped = skipped
        self.replaced = replaced
        isReplacing = !replaced.isEmpty
    }

    /// Up to where everything is as it was: snapshots and bases say nothing of what comes behind.
    func limit(_ step: Int) -> Int {
        let first = min(skipped.min() ?? .max, replaced.keys.min() ?? .max)
        return first == .max ? step : min(step, first - 1)
    }
}
