extension Model {
    mutating func dispatched(_ act: Act, to stream: String, id: String?, cancelID: String? = nil) {
        dispatches[act.name] = Dispatch(
            act: act, stream: stream, dispatchID: id, cancelID: cancelID, after: streams[stream]?.acknowledged ?? 0,
            skips: streams[stream]?.skips ?? 0)
        note(act.ops)
    }

    /// The same dispatch is tried once more: it may be appended now.
    mutating func dispatchedAgain(_ name: String) { dispatches[name]?.isRefused = false }

    /// A queue can have the rule of an effect that is not committed yet, in no order that a caller could know.
    mutating func note(_ ops: [Op]) {
        for op in ops {
            switch op {
            case .start(let spec):
                if let lane = spec.lane { note(lane) }
                note(spec.then)
            case .update(let lane): note(lane)
            case .next(let act): note(act.ops)
            case .cancel(let id): cancelledIDs.insert(id)
            case .reject, .tell, .tick: break
            }
        }
    }

    mutating func note(_ lane: Lane) {
        rules[lane.name, default: []].insert(lane.kind)
        delays[lane.name, default: []].insert(lane.delay)
        limits[lane.name] = max(limits[lane.name] ?? 0, lane.limit)
    }

    /// The caller of a dispatch got its step.
    mutating func answered(_ name: String, step: Int, isRepeat: Bool) -> String? {
        guard var dispatch = dispatches[name] else { return "an answer for \(name), which nobody dispatched" }
        let first = dispatch.dispatchID.flatMap { dispatchIDs["\(dispatch.stream) \($0)"] }
        if isRepeat {
            guard let first, let known = dispatches[first] else {
                // The first one may have been committed without an answer.
                return dispatch.dispatchID == nil ? "\(name) has no dispatch ID and was answered as a repeat" : nil
            }
            if let told = known.step, told != step { return "\(name) repeats \(first), step \(told), and got \(step)" }
            return nil
        }
        if let first, first != name, let told = dispatches[first]?.step {
            return "\(name) was appended as step \(step), and \(first) has its dispatch ID and is step \(told)"
        }
        if let known = dispatch.step, known != step {
            return "\(name) was appended as step \(step), and as step \(known) before"
        }
        if step <= dispatch.after { return "\(name) got step \(step), and step \(dispatch.after) was answered before" }
        dispatch.step = step
        dispatches[name] = dispatch
        if let id = dispatch.dispatchID { dispatchIDs["\(dispatch.stream) \(id)"] = name }
        streams[dispatch.stream, default: Stream()].acknowledged = max(
            streams[dispatch.stream]?.acknowledged ?? 0, step)
        return nil
    }

    /// The error of a dispatch says that nothing was appended.
    mutating func refused(_ name: String) { dispatches[name]?.isRefused = true }
}
