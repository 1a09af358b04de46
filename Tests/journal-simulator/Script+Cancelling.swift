import JournalStore

extension Script {
    func cancelByID() async {
        let (id, stream) = (choices.pick(Script.ids), stream())
        guard let store = await store(of: stream) else { return }
        life.model.cancels(id: id)
        await cancel("cancel \(id) in \(stream)", stream, store, { $0.isCancelled(by: id) }) {
            try await store.cancel(id: id)
        }
    }

    /// Cancels the effects with some of the IDs, and perhaps those without one.
    func cancelByCondition() async {
        let (stream, first) = (stream(), choices.pick(Script.ids))
        let (ids, withoutID) = (Set([first, choices.pick(Script.ids)]), choices.isOne(in: 2))
        guard let store = await store(of: stream) else { return }
        for id in ids.sorted() { life.model.cancels(id: id) }
        if withoutID { life.model.cancelsWithoutID = true }
        let condition = { @Sendable (id: AnyEffectID?) in
            id.map { id in id.as(String.self).map(ids.contains) ?? false } ?? withoutID
        }
        let what = "cancel \(ids.sorted())\(withoutID ? " and those without an ID" : "") in \(stream)"
        // A message has no ID, and is not cancelled.
        await cancel(what, stream, store, { $0.isCancelled(where: condition) }) {
            try await store.cancel(ids: condition)
        }
        life.count("cancellation by a condition")
    }

    fileprivate static func isMessage(_ run: EffectRun) -> Bool { run.name == "b" }

    func cancelRun() async {
        let stream = stream()
        guard let store = await store(of: stream), let run = (try? await store.liveRuns())?.first, !world.isDead
        else { return }
        await cancel("cancel \(run.key) of \(stream)", stream, store, { $0.key == run.key }) {
            do {
                try await store.cancel(run.key)
            } catch let error as JournalError where error.isOfEndedEffect {
                throw Ended()
            }
        }
    }

    /// The run has ended meanwhile.
    struct Ended: Error {}

    /// Cancels, and tells the model what was acknowledged.
    func cancel(
        _ what: String, _ stream: String, _ store: Store<Act, Score>, _ isMeant: (EffectRun) -> Bool,
        _ body: () async throws -> Void
    ) async {
        do {
            let runs = try await store.liveRuns().filter(isMeant)
            let places = runs.map { place(stream, $0.step, $0.name) }
            guard !world.isDead else { return }
            life.model.cancels(places)
            try await body()
            guard !world.isDead else { return }
            life.note(what)
            life.count("cancellation")
            if runs.contains(where: { $0.cancelledBy != nil }) { life.count("cancellation of a whole dispatch") }
            // What is committed until now may come from these runs, and nothing after it.
            guard observe() else { return }
            life.model.cancelled(places)
        } catch is Ended {
            life.note("\(what): it had ended")
        } catch {
            guard !world.isDead else { return }
            life.note("\(what): \(kind(error))")
            if !world.hasFault { life.report("\(what): \(error)") } else { noteBroken(by: error) }
        }
    }

    /// Nothing ends an orphan but an operator, or a step that cancels its ID.
    func cancelOrphan(_ run: EffectRun, of stream: String, _ store: Store<Act, Score>) async {
        life.model.cancels([place(stream, run.step, run.name)])
        await attempt("cancel the orphan \(run.key) of \(stream)") {
            do {
                try await store.cancel(run.key)
            } catch let error as JournalError where error.isOfEndedEffect && run.effectID != nil {
                // Such a step can come before this call.
                guard try await store.liveRuns().contains(where: { $0.key == run.key }) else { return }
                throw error
            }
        }
        life.count("orphaned effect")
    }

    /// Cancels all that follows from a dispatch.
    func cancelAll(of answer: Dispatched<Act>, in stream: String, _ store: Store<Act, Score>) async {
        life.model.cancels(root: answer.step, of: stream)
        let isMeant = { (run: EffectRun) in run.rootStep == answer.step && !Script.isMessage(run) }
        await cancel("cancel all of step \(answer.step) of \(stream)", stream, store, isMeant) {
            try await answer.cancel()
            // Its cancel action may be under way.
            let left = (try? await store.liveRuns())?.first { isMeant($0) && $0.status != .cancelling }
            if let left, !world.isDead {
                life.report("all of step \(answer.step) of \(stream) was cancelled, and \(left.key) has not ended")
            }
        }
    }
}

extension EffectRun {
    fileprivate func isCancelled(by id: String) -> Bool {
        !Script.isMessage(self) && (effectID?.as(String.self) == id || cancelledBy == id)
    }

    fileprivate func isCancelled(where condition: (AnyEffectID?) -> Bool) -> Bool {
        !Script.isMessage(self) && (condition(effectID) || cancelledBy.map { condition(AnyEffectID($0)) } == true)
    }
}
