import JournalStore

extension Model {
    /// A reducer was called, live or in a replay.
    mutating func reduced(
        _ act: Act, stream: String, step: Int, substep: Int, time: Timestamp, luck number: UInt64, from score: Score
    ) -> String? {
        let place = "\(stream)/\(step)/\(substep)"
        if let known = luck[place], known != number { return "\(place) drew \(number), and \(known) before" }
        if let other = drawn[number], other != place { return "\(place) and \(other) drew the same number" }
        (luck[place], drawn[number]) = (number, place)
        if isSkipped(stream, step) { return "step \(step) of \(stream) was skipped, and is reduced" }
        guard substep == 0 else { return nil }
        let reduction = Reduction(name: act.name, count: score.count, digest: score.digest, time: time)
        if streams[stream]?.entries.indices.contains(step - 1) == true,
            streams[stream]?.entries[step - 1].isCancelled == true
        {
            return "step \(step) of \(stream) does not count, and is reduced"
        }
        if step <= streams[stream]?.decided ?? 0 { return check(reduction, stream, step) }
        if let known = streams[stream]?.pending[step], known != reduction {
            return "step \(step) of \(stream) was reduced as \(reduction), and as \(known) before"
        }
        streams[stream, default: Stream()].pending[step] = reduction
        return nil
    }

    /// A fork has another future, and other random numbers.
    func drewInFork(_ number: UInt64) -> String? {
        drawn[number].map { "a fork drew \(number), as \($0) did" }
    }

    /// The fork of a stream has been opened. A version whose base is after that step may fold to another state.
    func check(forkOf name: String, at step: Int, _ score: Score) -> String? {
        guard let stream = streams[name], step < stream.scores.count, step >= stream.base else { return nil }
        let expected = stream.scores[step]
        if expected.count == score.count, expected.digest == score.digest { return nil }
        return "the fork of \(name) at step \(step) has the state \(score), not \(expected)"
    }

    func check(_ reduction: Reduction, _ stream: String, _ step: Int) -> String? {
        guard let known = streams[stream], step <= known.entries.count else { return nil }
        let (entry, before) = (known.entries[step - 1], known.scores[step - 1])
        guard reduction.name == entry.act.name else {
            return "step \(step) of \(stream) is \(entry.act.name), and the reducer got \(reduction.name)"
        }
        guard reduction.time == entry.time else {
            return "step \(step) of \(stream) was committed at \(entry.time), and the reducer got \(reduction.time)"
        }
        // Another version can fold to another state, as far as the base.
        guard step > known.base || known.rules == 1 else { return nil }
        guard reduction.count == before.count, reduction.digest == before.digest else {
            return "step \(step) of \(stream) was reduced from \(reduction), not from \(before)"
        }
        return nil
    }
}
