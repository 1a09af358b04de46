/// The order in which effects have joined their queues.
enum JoiningOrder {
    /// Puts those that have joined again among those that have not: each behind the last one that joined no later, and behind
    /// those that joined again before it. The wall clock can have been set back, so the times need not grow.
    ///
    /// - Parameters:
    ///   - first: those that have joined once, in their order, which is kept.
    ///   - again: those that have joined again, in the order in which they did, which is kept.
    static func merged<Member>(
        _ first: [Member], _ again: [Member], times: [Timestamp], _ timesAgain: [Timestamp]
    ) -> [Member] {
        // From each place on, the earliest time of those that are there or behind.
        var earliest = times
        for index in earliest.indices.dropLast().reversed() {
            earliest[index] = min(earliest[index], earliest[index + 1])
        }
        var merged: [Member] = []
        merged.reserveCapacity(first.count + again.count)
        var place = 0
        for (member, time) in zip(again, timesAgain) {
            while place < first.count, earliest[place] <= time {
                merged.append(first[place])
                place += 1
            }
            merged.append(member)
        }
        return merged + first[place...]
    }
}
