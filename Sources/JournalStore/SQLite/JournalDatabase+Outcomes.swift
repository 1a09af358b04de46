extension JournalDatabase {
    /// What became of steps of a stream, as far as it is recorded.
    func outcomes(of name: String, _ steps: [Int]) throws(DatabaseError) -> [Int: StepOutcome] {
        guard let stream = try stream(named: name) else { return [:] }
        var outcomes: [Int: StepOutcome] = [:]
        for step in steps where step <= stream.settledStep {
            // If it was pruned, its record is gone as well.
            if step <= stream.prunedStep, try !hasEntry(of: stream.id, in: [step...step]) { continue }
            outcomes[step] = StepOutcome(.reduced)
        }
        for range in ranges(of: steps) {
            for record in try stepRecords(of: stream.id, from: range.lowerBound, through: range.upperBound) {
                outcomes[record.step] = StepOutcome(record.outcome, reason: record.reason)
            }
        }
        let skipped = outcomes.filter { $0.value.outcome == .skipped }.keys
        guard let first = skipped.min(), let last = skipped.max() else { return outcomes }
        // The operator's reason is in the intervention.
        for intervention in try interventions(in: stream.id, steps: first...last) where intervention.act == .skip {
            if outcomes[intervention.step]?.outcome == .skipped {
                outcomes[intervention.step]?.reason = intervention.reason
            }
        }
        return outcomes
    }

    /// Steps as ranges without gaps: a page of a log is one range, the matches of a filter are many.
    private func ranges(of steps: [Int]) -> [ClosedRange<Int>] {
        var ranges: [ClosedRange<Int>] = []
        for step in steps.sorted() {
            if let last = ranges.last, last.upperBound + 1 >= step {
                ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, step)
            } else {
                ranges.append(step...step)
            }
        }
        return ranges
    }
}
