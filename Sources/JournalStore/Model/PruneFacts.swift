/// What pruning needs to know of a stream, and the plan that follows from it. Does no I/O.
struct PruneFacts: Hashable, Sendable {
    var info: StreamInfo
    /// The stream's snapshots, oldest first.
    var marks: [SnapshotMark]
    /// The steps of snapshots that are damaged, which are not among the others.
    var damaged: [Int] = []
    /// The steps of live closure runs.
    var liveSteps: [Int]
    /// The snapshots whose step has no entry, or an entry with another digest.
    var loose: Set<Int>

    private func advice(toTakeOneBefore step: Int, _ location: ErrorLocation) -> String {
        guard info.headStep > 1 else { return "The stream has only one step, and the newest entry always stays." }
        guard info.settledStep > info.prunedStep else {
            let which = info.prunedStep == 0 ? "No step" : "No step after \(info.prunedStep)"
            return "\(which) is settled. The app settles them when it opens the stream."
        }
        let last = min(step - 1, info.settledStep)
        guard last > info.prunedStep else { return "Choose a later step." }
        if let base = marks.last(where: \.isBase), last < base.step {
            if base.step >= info.headStep { return "There is nothing to remove before the app has added a step." }
            return "A new version of the machine began with the state of step \(base.step): choose a step after that."
        }
        let stream = ShellWord.quoted(info.name)
        return
            "Take one first: `journal-replay snapshot \(location.fileWord) --stream=\(stream) --at=\(last) --yes`. It "
            + "needs the machine in the version that opened the stream last: after an upgrade, let the app open the "
            + "stream first, which writes a base. It is refused while an app writes."
    }

    /// The first step to keep. One after the end of the stream means its last one: the newest entry is always kept.
    ///
    /// Of a fork at a pruned step, the newest entries are those that live effects needed, before the base. They stay
    /// until there is another step, also if these effects have ended: without them the journal's last position would
    /// be a smaller one, which the next opening takes for a loss.
    func firstKept(_ step: Int) -> Int { min(step, info.headStep) }

    /// - Parameter step: the first step to keep; see ``firstKept(_:)``.
    func plan(before step: Int, file: String?) throws(JournalError) -> PrunePlan {
        let location = ErrorLocation(file: file, stream: info.name)
        guard step > 0 else {
            throw location.error(.badArgument, "Steps begin with 1.", advice: "Name the first step to keep.")
        }
        guard info.headStep > 0 else {
            throw location.error(.noSuchStep, "The stream has no step yet.", advice: "There is nothing to prune.")
        }
        let step = firstKept(step)
        // Of what is left before the base no part can be removed: so if the step is there, all of it stays.
        let start = step <= info.prunedStep ? info.prunedStep : 0
        let before = max(step, info.prunedStep + 1)
        guard
            let plan = PrunePlan(
                after: start, before: before, settled: info.settledStep, marks: marks, liveSteps: liveSteps,
                damaged: damaged)
        else {
            throw location.at(step).error(
                .noUsableSnapshot,
                "No snapshot before this step can replace removed entries (settled up to step \(info.settledStep)).",
                advice: advice(toTakeOneBefore: before, location))
        }
        guard plan.base == info.prunedStep || !loose.contains(plan.base) else {
            throw location.at(plan.base).error(
                .noUsableSnapshot, "The snapshot does not belong to the entry of its step, so nothing was removed.",
                advice: "Run `journal-replay verify`, and take a new snapshot.")
        }
        return plan
    }

    /// The snapshots up to which a transaction that is not the last one can prune, in the order in which to try them:
    /// the last one within `length` steps, those before it, then those after it. None if the rest is not longer than
    /// that.
    ///
    /// Each is one that the pruning removes in the end, so the journal becomes what a single transaction would make it.
    /// Each has the version of the last base: a process can end in between, and the code that reads the last base must
    /// be able to read this one.
    func stops(on plan: PrunePlan, every length: Int) -> [Int] {
        guard plan.base - info.prunedStep > length else { return [] }
        let removed = Set(plan.snapshots)
        let version = marks.last { $0.step == plan.base }?.version
        let steps = marks.filter { mark in
            mark.step > info.prunedStep && mark.version == version && removed.contains(mark.step)
                && !loose.contains(mark.step)
        }.map(\.step)
        let near = steps.prefix { $0 - info.prunedStep <= length }
        return Array(near.reversed()) + steps.dropFirst(near.count)
    }

    /// The plan of a transaction that prunes up to one of the ``stops(on:every:)``.
    ///
    /// It begins at the last base. What is left before that stays until the last transaction: there can be many ranges
    /// between islands, and each transaction would look at all of them.
    func plan(upTo stop: Int) -> PrunePlan? {
        PrunePlan(
            after: info.prunedStep, before: stop + 1, settled: info.settledStep, marks: marks, liveSteps: liveSteps)
    }
}
