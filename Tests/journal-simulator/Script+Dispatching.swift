import JournalStore

extension Script {
    /// - Parameter isAlone: whether the script waits for it.
    func dispatch(
        _ act: Act, to stream: String, id: String? = nil, hasID: Bool = false, tracks: Bool = false,
        isAlone: Bool = true
    ) async {
        guard world.host != nil || world.stores[stream] != nil else { return }
        let act = act.inForm(life.form)
        let id = hasID ? act.name : id
        let cancelID = choices.isOne(in: 5) ? choices.pick(Script.ids) : nil
        if hasID { life.dispatchIDs.append((act.name, act.name)) }
        life.model.dispatched(act, to: stream, id: id, cancelID: cancelID)
        life.note("dispatch \(act) to \(stream)\(cancelID.map { ", cancelled by \($0)" } ?? "")")
        do {
            let answer = try await send(act, to: stream, id: id, cancelID: cancelID, tracks: tracks)
            guard !world.isDead else { return }
            answered(act, answer, in: stream)
            if tracks {
                await answer.completion()
                guard !world.isDead else { return }
                life.note("\(act.name) is complete")
                // The host can have opened the stream again after a fault.
                if world.host != nil, world.hadFault { return }
                let left = (try? await store(of: stream)?.liveRuns())?.first { $0.rootStep == answer.step }
                if let left, !world.isDead { life.report("\(act.name) is complete, and \(left.key) has not ended") }
            } else if isAlone, choices.isOne(in: 12) {
                guard let store = await store(of: stream) else { return }
                await cancelAll(of: answer, in: stream, store)
            }
        } catch {
            failed([act], error, isAlone: isAlone)
        }
    }

    private func send(
        _ act: Act, to stream: String, id: String?, cancelID: String?, tracks: Bool
    ) async throws -> Dispatched<Act> {
        if let host = world.host {
            return try await host.dispatch(act, to: stream, id: id, cancelID: cancelID, trackingFeedback: tracks)
        }
        guard let store = world.stores[stream] else { throw CancellationError() }
        return try await store.dispatch(act, id: id, cancelID: cancelID, trackingFeedback: tracks)
    }

    func answered(_ act: Act, _ answer: Dispatched<Act>, in stream: String) {
        life.note("\(act.name) is step \(answer.step) (\(answer.outcome))")
        life.report(life.model.answered(act.name, step: answer.step, isRepeat: answer.outcome == .repeated))
        switch answer.outcome {
        case .reduced where act.ops.contains(.reject): life.report("\(act.name) was to be rejected, and was reduced")
        case .rejected where !act.ops.contains(.reject): life.report("\(act.name) was rejected")
        case .rejected: life.count("rejected action")
        case .repeated: repeated(act, answer, in: stream)
        case .reduced: life.count("dispatch")
        }
    }

    /// A repeated dispatch tells whether the first one was rejected, as long as that is recorded.
    private func repeated(_ act: Act, _ answer: Dispatched<Act>, in stream: String) {
        life.count("repeated dispatch")
        let isRejected = act.ops.contains(.reject)
        if isRejected { life.count("repeated dispatch of a rejected action") }
        let isSkipped = life.model.isSkipped(stream, answer.step)
        let expected = isSkipped ? "An operator has skipped the step." : isRejected ? "no" : nil
        guard answer.rejection != expected, !world.hasFault else { return }
        let info = try? world.journal?.reader.stream(stream)
        if answer.rejection == nil, answer.step <= info?.prunedStep ?? .max { return }
        life.report("\(act.name) again is told the rejection \(answer.rejection ?? "nil")")
    }

    /// - Parameter isAlone: whether the script has waited for it: then the script has closed nothing meanwhile.
    func failed(_ acts: [Act], _ error: any Error, isAlone: Bool = true) {
        guard !world.isDead else { return }
        life.note("\(acts.first?.name ?? "") failed: \(kind(error))")
        guard let error = error as? JournalError, world.hadFault || error.code == .closed && !isAlone else {
            return life.report("\(acts.first?.name ?? ""): \(error)")
        }
        noteBroken(by: error)
        life.count("failed dispatch")
        guard error.code != .outcomeUnknown, error.code != .fenced else { return }
        for act in acts { life.model.refused(act.name) }
    }

    /// After such an error the journal must be opened again.
    func noteBroken(by error: any Error) {
        let code = (error as? JournalError)?.code
        if ![.diskFull, .notStorable, .closed].contains(code) { world.isBroken = true }
    }

    /// Dispatches, and goes on before the answer.
    func later(_ act: Act, to stream: String) {
        underWay += 1
        Task.detached { [self] in
            await dispatch(act, to: stream, isAlone: false)
            underWay -= 1
        }
    }

    func dispatchMany() async {
        var acts = (0..<2 + choices.next(4)).map { _ in invent() }
        let stream = stream()
        guard let store = await store(of: stream) else { return }
        acts = acts.map { $0.inForm(life.form) }
        for act in acts { life.model.dispatched(act, to: stream, id: nil) }
        life.note("dispatch \(acts.map(\.name))")
        do {
            let answers = try await store.dispatch(contentsOf: acts)
            guard !world.isDead else { return }
            for (act, answer) in zip(acts, answers) { answered(act, answer, in: stream) }
            life.count("dispatch of many")
        } catch {
            failed(acts, error)
        }
    }

    /// A dispatch ID; sometimes one that was used before, with the same action.
    func dispatchOnce() async {
        if choices.isOne(in: 2), !life.dispatchIDs.isEmpty {
            await askAgain()
        } else {
            await dispatch(invent(), to: stream(), hasID: true)
        }
    }

    /// Uses a dispatch ID again.
    func askAgain() async {
        guard !life.dispatchIDs.isEmpty else { return }
        let (id, first) = life.dispatchIDs[life.dispatchIDs.count - 1 - choices.next(life.dispatchIDs.count)]
        guard let known = life.model.dispatches[first], let store = await store(of: known.stream) else { return }
        switch choices.next(4) {
        case 1: return await useAgain(id, of: known, store)
        case 2:
            // In another stream it is another ID.
            guard let other = Game.streams.first(where: { $0 != known.stream }),
                life.sharedIDs.insert(id).inserted
            else { return }
            return await dispatch(invent(), to: other, id: id)
        default: break
        }
        life.model.dispatchedAgain(first)
        do {
            let answer = try await store.dispatch(known.act.inForm(life.form), id: id, cancelID: known.cancelID)
            guard !world.isDead else { return }
            life.note("\(first) again is step \(answer.step) (\(answer.outcome))")
            let isRepeat = answer.outcome == .repeated
            if isRepeat { repeated(known.act, answer, in: known.stream) }
            if isRepeat, answer.step <= life.model.head(of: known.stream) {
                let stored = life.model.streams[known.stream]?.entries[answer.step - 1].act.form
                if stored != life.form { life.count("repeated dispatch of an older version's action") }
            }
            life.report(life.model.answered(first, step: answer.step, isRepeat: isRepeat))
        } catch {
            if isOnlyKnownByDigest(known, error) { return life.note("\(first) again: \(kind(error))") }
            failed([], error)
        }
    }

    /// After a pruning, an action that another version has stored cannot be compared any more.
    private func isOnlyKnownByDigest(_ dispatch: Model.Dispatch, _ error: any Error) -> Bool {
        guard let step = dispatch.step, (error as? JournalError)?.code == .dispatchIDReused, life.form > 1 else {
            return false
        }
        let info = try? world.journal?.reader.stream(dispatch.stream)
        return step <= info?.prunedStep ?? .max
    }

    /// The ID of a dispatch that is in the journal, for another action.
    func useAgain(_ id: String, of known: Model.Dispatch, _ store: Store<Act, Score>) async {
        guard known.step != nil else { return }
        let act = invent().inForm(life.form)
        do {
            let answer = try await store.dispatch(act, id: id)
            if !world.isDead { life.report("\(act.name) has the ID of \(known.act.name), and is step \(answer.step)") }
        } catch {
            guard !world.isDead else { return }
            life.note("\(act.name) with the ID of \(known.act.name): \(error.code)")
            if error.code == .dispatchIDReused { life.count("reused dispatch ID") } else { failed([], error) }
        }
    }

    /// Dispatches, and waits for all that follows from it.
    func dispatchAndFollow() async {
        // A message of a stream whose records are refused waits until they are not, and so would this.
        let canWait = life.plan.trouble != .refusals || !world.isPassing
        await dispatch(invent(), to: stream(), tracks: canWait && choices.isOne(in: 2))
    }
}
