/// What pruning needs to know of a stream, and the plan that follows from it. Does no I/O.
struct PruneFacts: Hashable, Sendable {
    var info: StreamInfo
    /// The stream's snapshots, oldest first.
    var marks: [SnapshotMark]
    /// The steps of live closure runs.
    var liveSteps: [Int]
    /// The snapshots whose step has no entry, or an entry with another digest.
    var loose: Set<Int>

    private func advice(toTakeOneBefore step: Int, _ location: ErrorLocation) -> String {
        let last = min(step - 1, info.settledStep)
        guard last > info.prunedStep else { return "Choose a later step." }
        let stream = ShellWord.quoted(info.name)
        return
            "Take one first: `journal-replay snapshot \(location.fileWord) --stream=\(stream) --at=\(last) --yes`. It needs the machine, and "
            + "is refused while an app writes."
    }

    /// - Parameter step: the first step to keep. One after the end of the stream means its last one: the newest entry is always kept.
    func plan(before step: Int, file: String?) throws(JournalError) -> PrunePlan {
        let location = ErrorLocation(file: file, stream: info.name)
        guard step > 0 else {
            throw location.error(.badArgument, "Steps begin with 1.", advice: "Name the first step to keep.")
        }
        guard info.headStep > 0 else {
            throw location.error(.noSuchStep, "The stream has no step yet.", advice: "There is nothing to prune.")
        }
        let step = min(step, info.headStep)
        // Before the base there are only islands, so an earlier step means the one after the base.
        let before = max(step, info.prunedStep + 1)
        guard
            let plan = PrunePlan(before: before, settled: info.settledStep, marks: marks, liveSteps: liveSteps)
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
}
