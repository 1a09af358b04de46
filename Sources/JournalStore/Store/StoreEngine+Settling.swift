// Settle: the outcome of a step becomes a record, and its effects go to the scheduler.

extension StoreEngine {
    func settle(
        _ reduction: Reduction<Action>, at step: Int, _ stamp: Appended.Stamp, _ cause: StepCause,
        _ inherited: Tracker<Action>? = nil
    ) -> Tracker<Action>? {
        let now = moment
        var tracker = inherited
        if let tracksFeedback = cause.tracksFeedback, reduction.hasRuns {
            tracker = Tracker(tracksFeedback: tracksFeedback)
            dispatches[step] = tracker
        }
        if let id = cause.cancelID, reduction.hasRuns { dispatches.roots.insert(cause.root, id) }
        // Counts as one run until all are counted: a run that ends at once must not count as the last.
        tracker?.begin()
        let notes = add(reduction.effects, at: step, stamp, cause, tracker, now)
        if options.checksCoding {
            warnAboutTwins(in: reduction, at: step)
            warnAboutHandlers(in: reduction, at: step)
        }
        // The initial effect belongs to no step.
        if step > 0 { recorder.record(record(of: reduction, notes, at: step)) }
        startDue(now)
        tracker?.finish()
        return tracker
    }

    /// Passes what a step returned to the scheduler, in order.
    ///
    /// - Returns: how the step's record lists it.
    private func add(
        _ parts: [Effect<Action>.Part], at step: Int, _ stamp: Appended.Stamp, _ cause: StepCause,
        _ tracker: Tracker<Action>?, _ now: Moment
    ) -> [EffectNote] {
        let seed = Seed(stream: info.seed(at: step), entry: stamp.digest)
        var notes: [EffectNote] = []
        var ordinal = 0
        var twins: [EffectRun.Identity: Int] = [:]
        for part in parts {
            switch part {
            case .next, .reject: break
            case .run(let run):
                let key = RunKey(step: step, ordinal: ordinal)
                ordinal += 1
                var request = request(for: run, key, cause, stamp, seed)
                if parts.count > 1 || run.isEphemeral { request.countTwins(&twins) }
                request.shortenDelay(at: now.date)
                notes.append(EffectNote(run, id: request.record.effectIDText, queue: request.record.queueText))
                effects.bodies[key] = EffectTable.Body(
                    run: run, root: cause.root, time: stamp.time, seed: seed,
                    priority: run.priority ?? cause.priority, tracker: tracker, isResumed: false)
                tracker?.begin()
                scheduler.add(request, isOpening: isRecovering, at: now)
            case .cancel(.id(let id)):
                let text = try? program.ids.encode(id)
                notes.append(EffectNote(cancelling: text))
                cancel(id, text: text, at: now)
            case .cancel(.predicate(let condition)):
                notes.append(EffectNote(cancelling: nil))
                cancel(where: condition, at: now)
            case .updateQueue(let queue):
                let text = try? program.ids.encode(AnyEffectID(queue))
                notes.append(EffectNote(updating: text))
                if !queue.effectQueuePolicy.isValid { refuse(queue, at: step) }
                scheduler.update(queue, text: text, since: RunKey(step: step, ordinal: ordinal))
            }
        }
        return notes
    }

    private func record(of reduction: Reduction<Action>, _ notes: [EffectNote], at step: Int) -> StepRecord {
        var record = StepRecord(stream: stream.id, step: step)
        if case .rejected(let reason) = reduction.outcome {
            record.outcome = .rejected
            record.reason = reason.isEmpty ? nil : reason
        }
        if !reduction.cascade.isEmpty {
            var failure: JournalError?
            let texts = reduction.cascade.map { action in
                do throws(JournalError) {
                    return program.listed(try program.encode(action, location.at(step), isAppended: true))
                } catch {
                    failure = failure ?? error
                    return "null"
                }
            }
            record.cascade = "[" + texts.joined(separator: ",") + "]"
            // The step is valid without it: the cascade follows from its entry.
            if let failure { options.notify(.recordIncomplete, failure) }
        }
        if !notes.isEmpty { record.effects = "[" + notes.map(\.json).joined(separator: ",") + "]" }
        return record
    }

    /// Warns about effects of one step that cannot be told apart after a restart.
    private func warnAboutTwins(in reduction: Reduction<Action>, at step: Int) {
        let closures = reduction.closures { try? program.ids.encode($0) }
        guard closures.count > 1 else { return }
        func look(_ run: Effect<Action>.Run, _ id: String?) -> String { "\(run.name ?? "") \(id ?? "")" }
        let alike = Dictionary(grouping: closures) { look($0.run, $0.id) }
        let groups = closures.lazy.compactMap { alike[look($0.run, $0.id)] }
        guard let twins = groups.first(where: { $0.count > 1 }) else { return }
        options.notify(
            .ambiguousEffects,
            location.at(step).error(
                .otherEffects,
                "The step returned \(twins.count) effects '\(twins[0].run.name ?? "")' that cannot be told apart: "
                    + "after a restart they would be asked about.",
                advice: "Give each a name or an ID of its own."))
    }

    /// Warns about a described effect with a handler that a restart would not find: one of a reducer that is called in
    /// a closure. Without any handler the effect fails at once.
    private func warnAboutHandlers(in reduction: Reduction<Action>, at step: Int) {
        for case .run(let run) in reduction.effects {
            guard case .described(let description, .some) = run.work, program.handlers[description.name] == nil
            else { continue }
            options.notify(
                .unreachableHandler,
                location.at(step).error(
                    .otherEffects,
                    "The effect '\(run.name ?? "")' has a handler that the machine's reducer does not have: after a "
                        + "restart the effect would be an orphan.",
                    advice: "Combine the reducer with the handler instead of calling it in a closure, or return a "
                        + "closure effect."))
            return
        }
    }

    private func refuse(_ queue: any EffectQueue, at step: Int) {
        let count = queue.effectQueuePolicy.maxCount
        options.notify(
            .queueRefused,
            location.at(step).error(
                .badArgument,
                "The queue \(StoredName.of(queue)) cannot run \(count) effects: its rule stays as it was.",
                advice: "Give it a maximum of one or more."))
    }
}
