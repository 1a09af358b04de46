import JournalStore

extension Model {
    /// How many entries of a stream are known.
    func head(of stream: String) -> Int { streams[stream]?.entries.count ?? 0 }

    /// The first entry of a stream of which it is not known whether it counts.
    func firstUndecided(in stream: String) -> Int? { streams[stream]?.undecided.first?.row.step }

    func score(of stream: String) -> Score { streams[stream]?.scores.last ?? Score() }

    /// The entries that follow the known ones were read. Whether those count that share a transaction is decided later.
    mutating func read(_ rows: [(act: Act, row: JournalStore.Entry)], of name: String) -> String? {
        for (act, row) in rows {
            var stream = streams[name] ?? Stream()
            guard row.step == stream.entries.count + 1 else {
                return "step \(row.step) of \(name) follows step \(stream.entries.count)"
            }
            var entry = Entry(act: act, origin: row.origin, time: row.time)
            var score = stream.scores.last ?? Score()
            entry.isAccepted = Model.apply(act, &score, stream.rules)
            stream.entries.append(entry)
            stream.scores.append(score)
            if row.isProvisional || !stream.undecided.isEmpty {
                stream.undecided.append((act, row))
                streams[name] = stream
            } else {
                streams[name] = stream
                if let problem = count(act, row, name) { return problem }
            }
        }
        return nil
    }

    /// It was read up to which step the outcomes are recorded, and which steps do not count.
    mutating func read(settled: Int, cancelled: Set<Int>, of name: String) -> String? {
        while let (act, row) = streams[name]?.undecided.first, !row.isProvisional || row.step <= settled {
            streams[name]?.undecided.removeFirst()
            if cancelled.contains(row.step) {
                if let problem = checkCancelled(row, name) { return problem }
                streams[name]?.entries[row.step - 1].isCancelled = true
                streams[name]?.fold(from: row.step - 1)
            } else if let problem = count(act, row, name) {
                return problem
            }
        }
        return nil
    }

    /// An entry counts.
    private mutating func count(_ act: Act, _ row: JournalStore.Entry, _ name: String) -> String? {
        if row.isProvisional, isSkipped(name, row.step) {
            // Whether it ended its run depends on the steps before it.
            if let slash = act.name.lastIndex(of: "/") { runs[String(act.name[..<slash])]?.wasSkipped = true }
            return nil
        }
        if let problem = checkOrigin(of: act, row, name) { return problem }
        if streams[name]?.entries[row.step - 1].isReduced == true {
            for id in Model.cancels(of: act) { cancelSteps["\(name) \(id)", default: []].append(row.step) }
        }
        note(act.ops)
        guard let reduction = streams[name]?.pending.removeValue(forKey: row.step) else { return nil }
        return check(reduction, name, row.step)
    }

    /// The run of an entry that does not count was stopped before, and does not send the action again.
    private mutating func checkCancelled(_ row: JournalStore.Entry, _ name: String) -> String? {
        let what = "step \(row.step) of \(name)"
        guard row.isProvisional, row.origin == .effect else { return "\(what) does not count, and is not provisional" }
        guard streams[name]?.pending[row.step] == nil else { return "\(what) was reduced, and does not count" }
        guard let cause = row.causeStep, let run = row.causeOrdinal else { return "\(what) has no cause" }
        streams[name]?.stopped.insert(RunKey(step: cause, ordinal: run))
        return nil
    }

    mutating func checkOrigin(of act: Act, _ row: JournalStore.Entry, _ stream: String) -> String? {
        let what = "step \(row.step) of \(stream), \(act.name)"
        if row.origin == .dispatched {
            guard let dispatch = dispatches[act.name] else { return "\(what): nobody dispatched it" }
            if dispatch.isRefused { return "\(what): its caller was told that nothing was appended" }
            if dispatch.act.inForm(act.form) != act {
                return "\(what): it was dispatched as \(dispatch.act) and is \(act)"
            }
            if dispatch.stream != stream { return "\(what): it was dispatched to \(dispatch.stream)" }
            if let step = dispatch.step, step != row.step { return "\(what): its caller was told step \(step)" }
            if let id = dispatch.dispatchID {
                if let first = dispatchIDs["\(stream) \(id)"], first != act.name {
                    return "\(what): \(first) has the same dispatch ID"
                }
                dispatchIDs["\(stream) \(id)"] = act.name
            }
            dispatches[act.name]?.step = row.step
            return nil
        }
        guard let slash = act.name.lastIndex(of: "/") else { return "\(what): a \(row.origin) has no such name" }
        let (place, event) = (String(act.name[..<slash]), String(act.name[act.name.index(after: slash)...]))
        if row.origin == .machine { return checkMessage(from: place, event, row, what) }
        guard var run = runs[place] else { return "\(what): no reducer has returned its effect" }
        if run.stream != stream || run.step != row.causeStep {
            return "\(what): its cause is step \(row.causeStep ?? 0) of \(stream)"
        }
        let isSkipped = isSkipped(stream, row.step)
        if run.isCancelled, event != "restarted", event != "undone", !isSkipped {
            return "\(what): its run's cancellation was acknowledged before"
        }
        if let status = run.status, run.hasEnded, !isSkipped {
            return "\(what): its run had ended before: \(status)"
        }
        // A timer that repeats has its place as its ID.
        let ids = [run.spec.kind == .every ? nil : run.spec.id, run.cancelID].compactMap(\.self)
        if event != "restarted", event != "undone", !isSkipped,
            let step = ids.flatMap({ cancelSteps["\(stream) \($0)"] ?? [] }).first(where: {
                $0 > max(run.step, run.retriedAfter) && $0 < row.step
            })
        {
            return "\(what): step \(step) has cancelled its run"
        }
        if run.spec.isTimer, run.retries == 0, !mayJump, event != "undone", row.time < run.due(run.actions) {
            return "\(what): it came before it was due"
        }
        switch event {
        case "tick":
            if run.spec.kind != .every { return "\(what): its effect is no timer" }
        case "failed":
            if !run.spec.reportsFailure { return "\(what): its effect reports no failure" }
            run.reports += 1
        case "undone":
            if !run.spec.isUndone { return "\(what): its effect has no cancel action" }
            run.undone += 1
        case "restarted":
            if run.spec.restart != .dispatch { return "\(what): its effect has no such policy" }
            run.wasReplaced = true
        default:
            if Int(event) != run.actions {
                return "\(what): it is number \(event) of its run, and \(run.actions) are there"
            }
        }
        if event == "tick" || Int(event) != nil { run.actions += 1 }
        runs[place] = run
        return nil
    }

    mutating func checkMessage(
        from name: String, _ event: String, _ row: JournalStore.Entry, _ what: String
    ) -> String? {
        guard event == "told", let sender = row.causeStream, let step = row.causeStep else {
            return "\(what): no message"
        }
        let entries = streams[sender]?.entries ?? []
        guard step >= 1, step <= entries.count, entries[step - 1].tells, entries[step - 1].isAccepted,
            entries[step - 1].act.name == name
        else { return "\(what): step \(step) of \(sender) has not sent it" }
        return told.insert("\(sender)/\(step)").inserted ? nil : "\(what): it arrived before"
    }

    /// Reduces an action with its cascade.
    ///
    /// - Returns: whether it was accepted.
    static func apply(_ act: Act, _ score: inout Score, _ rules: Int) -> Bool {
        var new = score
        new.add(act, rules)
        for op in act.ops {
            switch op {
            case .reject: return false
            case .tick(let place, let last): _ = new.tick(place, last: last)
            case .next, .start, .cancel, .update, .tell: break
            }
        }
        for case .next(let child) in act.ops { _ = apply(child, &new, rules) }
        score = new
        return true
    }

    /// The records of a stream's runs were read.
    mutating func read(_ rows: [EffectRun], of name: String) -> String? {
        for row in rows {
            let place = place(name, row.step, row.name)
            guard var run = runs[place] else {
                let isMessage =
                    streams[name].map { row.step <= $0.entries.count && $0.entries[row.step - 1].tells } ?? true
                if isMessage { continue }
                return "\(place): no reducer has returned this run"
            }
            run.cancelID = row.cancelledBy
            if let problem = checkCancelID(of: row, name, place) { return problem }
            if isSkipped(name, row.step) { return "\(place): it is recorded, and its step was skipped" }
            if streams[name]?.stopped.contains(row.key) == true, row.status == .completed, run.retries == 0 {
                return "\(place): it has completed, and its action does not count"
            }
            if let known = run.status, run.hasEnded, known != row.status {
                return "\(place): it is \(row.status), and was \(known)"
            }
            if run.isCancelled, !row.status.isFinal, row.status != .cancelling {
                return "\(place): it is \(row.status), and its cancellation was acknowledged"
            }
            if run.isSetAside, !run.mayBeReleased, [.running, .waiting, .delayed, .orphaned].contains(row.status) {
                return "\(place): it is \(row.status), and waited for a decision, which nobody made"
            }
            if run.releaseEnds { (run.mayBeReleased, run.releaseEnds) = (false, false) }
            if !row.status.isFinal { run.mayBeRetried = false }
            // What the code does not return any more waits for a new decision.
            if row.attempts != run.decidedAt || row.status == .orphaned { run.decidedAt = nil }
            run.isSetAside = row.status == .asked || row.status == .parked
            run.status = row.status
            runs[place] = run
            if let problem = check(run, row, place) ?? checkRecord(of: run, row, place) { return problem }
        }
        return checkOrder(rows, name)
    }

    /// All that follows from a dispatch has its cancel ID.
    private func checkCancelID(of row: EffectRun, _ name: String, _ place: String) -> String? {
        guard let entries = streams[name]?.entries, entries.indices.contains(row.rootStep - 1) else { return nil }
        let root = entries[row.rootStep - 1]
        let expected = root.origin == .dispatched ? dispatches[root.act.name]?.cancelID : nil
        if row.cancelledBy == expected { return nil }
        return "\(place): its cancel ID is \(row.cancelledBy ?? "none"), and that of its dispatch \(expected ?? "none")"
    }

    func checkRecord(of run: Run, _ row: EffectRun, _ place: String) -> String? {
        // Each retry by an operator gives it one more.
        if row.failures > run.spec.attempts + run.retries {
            return "\(place): it has failed \(row.failures) times, and its policy has \(run.spec.attempts) attempts"
        }
        if run.spec.isTimer, run.retries == 0, !mayJump, row.status == .delayed, row.notBefore != run.due(row.delivered)
        {
            return
                "\(place): it is due at \(run.due(row.delivered)), and waits for \(row.notBefore, default: "nothing")"
        }
        return nil
    }

    func check(_ run: Run, _ row: EffectRun, _ place: String) -> String? {
        let spec = run.spec
        switch row.status {
        case .waiting, .delayed, .running: return nil
        case .asked where run.decidedAt != nil && !run.wasForked:
            return "\(place): it is asked about again, and was released"
        case .asked:
            // Two effects of a step that look alike are asked about, and so are handlers that are missing: there are
            // none.
            return spec.restart == .ask || run.wasForked
                ? nil : "\(place): it is asked about, and its policy is '\(spec.restart)'"
        case .parked: return nil
        case .orphaned: return isReturned(spec, run.stream) ? "\(place): it is orphaned, and the code returns it" : nil
        case .cancelling where !spec.isUndone: return "\(place): it is cancelling, and has no cancel action"
        case .cancelled, .cancelling:
            let isAsked =
                run.mayBeCancelled || run.isCancelled || spec.kind == .every
                || (spec.id.map { cancelledIDs.contains($0) } ?? cancelsWithoutID)
                || run.cancelID.map { cancelledIDs.contains($0) } == true
            let isOfRoot = cancelledRoots[run.stream]?.contains(row.rootStep) == true
            let isPolicy = spec.restart == .cancel && run.decidedAt == nil || run.wasReplaced
            // If it has a cancel action, a run that its queue evicts ends as cancelled.
            let isEvicted = spec.isUndone && spec.lane.flatMap { rules[$0.name] }?.contains(.newest) == true
            return isAsked || isOfRoot || isPolicy || isEvicted ? nil : "\(place): nobody has cancelled it"
        case .evicted:
            return spec.lane.flatMap { rules[$0.name] }?.contains(.newest) == true
                ? nil : "\(place): it was evicted, and no rule of its queue does that"
        case .discarded:
            // If the end of another run could not be recorded, that one fills the queue again after a restart.
            if !run.openings.isEmpty, !mayFail { return "\(place): it was discarded, and its body began" }
            return spec.lane.flatMap { rules[$0.name] }?.contains(.discarding) == true
                ? nil : "\(place): it was discarded, and no rule of its queue does that"
        case .failed:
            // A step that cannot read or keep what it remembers throws, and a start that cannot be recorded fails.
            let isDisk =
                mayFail
                && (run.spec.attempts > 1
                    || ["[input-output", "[not-storable"].contains { row.error?.contains($0) == true })
            return spec.throwsTooOften || isDisk
                ? nil : "\(place): it failed, and its body throws \(spec.failures) times: \(row.error ?? "")"
        case .completed: return nil
        }
    }
}
