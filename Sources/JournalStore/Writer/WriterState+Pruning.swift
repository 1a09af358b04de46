extension WriterState {
    mutating func prune(_ name: String, before step: Int) throws(JournalError) -> PruneReport {
        let database = try usable()
        let (info, plan) = try JournalError.at(file, "planning to prune", stream: name) { () throws(DatabaseError) in
            guard let info = try database.stream(named: name) else { return (nil as StreamInfo?, nil as PrunePlan?) }
            return (
                info,
                PrunePlan(
                    before: step, settled: info.settledStep, marks: try database.snapshotMarks(of: info.id),
                    liveSteps: try database.liveRunSteps(of: info.id))
            )
        }
        guard step > 0 else {
            throw JournalError(
                .badArgument, "Steps begin with 1.", advice: "Name the first step that must stay.", file: file,
                stream: name)
        }
        guard let info else {
            throw JournalError(
                .unknownStream, "There is no such stream.", advice: "Check the name.", file: file, stream: name)
        }
        guard step <= info.headStep else {
            throw JournalError(
                .noSuchStep, "The stream ends at step \(info.headStep); the newest entry always stays.",
                advice: "Prune before a step that is there.", file: file, stream: name, step: step)
        }
        // Nothing before the base is there any more, but for what running effects needed: an earlier step means that step.
        if step <= info.prunedStep { return try prune(name, before: info.prunedStep + 1) }
        guard let plan else {
            throw JournalError(
                .noUsableSnapshot,
                "No snapshot before this step stands in for what would be removed (settled up to step \(info.settledStep)).",
                advice: "Take a snapshot first.", file: file, stream: name, step: step)
        }
        let isWhole = try JournalError.at(file, "checking the base", stream: name, step: plan.base) {
            () throws(DatabaseError) -> Bool in
            if plan.base == info.prunedStep { return true }
            let entry = try database.entryDigest(of: info.id, at: plan.base)
            return try database.snapshot(of: info.id, atOrBefore: plan.base)?.digest == entry
        }
        guard isWhole else {
            throw JournalError(
                .noUsableSnapshot, "The snapshot does not belong to the entry of its step, so nothing was removed.",
                advice: "Run `journal-replay verify`, and take a new snapshot.", file: file, stream: name,
                step: plan.base)
        }
        let removed = try transaction(while: "pruning") { database throws(DatabaseError) in
            try database.prune(info.id, plan)
        }
        return PruneReport(
            base: plan.base, removedEntries: removed, keptEntries: plan.islands.map(\.count).reduce(0, +))
    }
}
