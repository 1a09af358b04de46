import JournalStore

extension Model {
    /// The most bodies of a queue that may run at once; nil if an operator has started one of them again: if its queue
    /// was forgotten, nothing tells that one with other JSON equals it.
    func limit(of lane: String, among places: some Sequence<String>) -> Int? {
        places.contains { runs[$0]?.retries ?? 0 > 0 } ? nil : limits[lane]
    }

    /// A queue with a delay starts one run after the other.
    mutating func checkPause(of run: Run, _ place: String, _ now: Timestamp, _ opening: Int) -> String? {
        guard isPunctual, let lane = run.spec.lane, let delay = delays[lane.name]?.max(), delay > 0,
            delays[lane.name]?.count == 1
        else { return nil }
        let start = (place: place, time: now, opening: opening)
        guard let last = lastStarts.updateValue(start, forKey: "\(run.stream) \(lane.name)"),
            last.opening == opening || isStartKept(of: last.place),
            now.microseconds < last.time.microseconds + Int64(delay) * 1_000_000 - 500_000
        else { return nil }
        return "\(place) began at \(now), and the queue \(lane.name) started another run at \(last.time)"
    }

    /// Whether the first start of a run is known to be on the disk. A kill can hide it, if the run was new.
    private func isStartKept(of place: String) -> Bool {
        switch runs[place]?.status {
        case .running, .delayed, .completed, .failed: true
        default: false
        }
    }

    /// In a queue of one, a run begins after the end of the one before it, and then that one must not begin again.
    mutating func checkSlot(of run: Run, _ place: String, _ opening: Int) -> String? {
        guard let lane = run.spec.lane, isStrict(lane), run.spec.kind != .ephemeral, run.retries == 0, !mayFail else {
            return nil
        }
        let queue = "\(run.stream) \(lane.name)"
        if run.openings.isEmpty {
            newest[queue] = place
        } else if !run.openings.contains(opening), let newest = newest[queue], newest != place {
            return
                "\(place) begins again, and \(newest), which the queue \(lane.name) let begin after its end, has begun"
        }
        return nil
    }

    /// Whether earlier starts and ends always decided what a queue of one starts next, besides the order.
    private func isStrict(_ lane: Lane) -> Bool {
        let decides = delays[lane.name]?.contains(0) == false || rules[lane.name]?.contains(.suspending) == false
        return decides && limits[lane.name] == 1
    }

    /// A queue is first in, first out: nothing has begun that came after a run in the line.
    func checkOrder(_ rows: [EffectRun], _ name: String) -> String? {
        if mayHold { return nil }
        var waiting: [String: String] = [:]
        for row in rows.sorted(by: { $0.key < $1.key }) {
            let place = place(name, row.step, row.name)
            guard let run = runs[place], let lane = run.spec.lane, run.retries == 0 else { continue }
            if row.status == .waiting, row.attempts == 0 {
                waiting[lane.name] = waiting[lane.name] ?? place
            } else if row.attempts > 0, let first = waiting[lane.name] {
                return "\(place) has begun, and \(first) waits before it in the queue \(lane.name)"
            }
        }
        return nil
    }
}
