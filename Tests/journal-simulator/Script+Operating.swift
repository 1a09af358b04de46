import Foundation
import JournalStore

extension Script {
    func wait(_ seconds: Int) async {
        life.note("wait \(seconds)")
        try? await world.clock.sleep(for: .seconds(seconds))
    }

    /// An operator lets an effect run that waits for a decision or has ended. Perhaps its stream is closed before the
    /// body begins.
    func letRun() async {
        let stream = stream()
        guard let store = await store(of: stream) else { return }
        let asked = ((try? await store.liveRuns()) ?? []).last {
            $0.status == .asked && !life.model.isOrphan(place(stream, $0.step, $0.name))
        }
        guard !world.isDead else { return }
        if let asked { await release(asked, of: stream, store) } else { await retryRun(of: stream, store) }
        let live = (try? await store.liveRuns()) ?? []
        guard !world.isDead else { return }
        if live.contains(where: { $0.status == .waiting && $0.attempts > 0 && $0.notBefore != nil }) {
            life.count("released effect that its queue delays")
        }
        if choices.isOne(in: 3) { await reopenOne(stream) }
    }

    private func retryRun(of stream: String, _ store: Store<Act, Score>) async {
        observe()
        let ended = (try? world.journal?.reader.effectRuns(in: stream)) ?? []
        guard let run = ended.last(where: { $0.status == .failed || $0.status == .cancelled }) else { return }
        life.model.retried(place(stream, run.step, run.name))
        do {
            try await store.retry(run.key)
            guard !world.isDead else { return }
            life.note("retry \(run.key) of \(stream)")
            life.model.retryReturned(place(stream, run.step, run.name))
            life.model.decided(place(stream, run.step, run.name), attempts: run.attempts)
            life.count("retry by an operator")
        } catch {
            guard !world.isDead else { return }
            life.note("retry \(run.key) of \(stream): \(error.code)")
            if error.isOfEndedEffect { life.model.notRetried(place(stream, run.step, run.name)) }
            let isDropped = error.code == .otherEffects && life.plan.dropsEffects
            let isAllowed = error.isOfEndedEffect || isDropped || world.hasFault
            if !isAllowed { life.report("retry \(run.key): \(error)") }
        }
    }

    /// An operator lets an effect run that waits for a decision.
    func release(_ run: EffectRun, of stream: String, _ store: Store<Act, Score>) async {
        life.count("released effect")
        life.model.retried(place(stream, run.step, run.name))
        await attempt("release \(run.key) of \(stream)") { [self] in
            do throws(JournalError) {
                try await store.release(run.key)
                guard !world.isDead else { return }
                life.model.decided(place(stream, run.step, run.name), attempts: run.attempts)
            } catch {
                // A step may have cancelled it meanwhile.
                if !error.isOfEndedEffect { throw error }
            }
        }
    }

    /// An operator changes an effect of a stream that no store has open.
    func intervene() async {
        let stream = stream()
        guard let journal = world.journal, !world.hasFault else { return }
        // A cancellation that is in the journal comes before what the operator does now.
        observe()
        let runs = (try? journal.reader.effectRuns(in: stream)) ?? []
        guard !runs.isEmpty else { return }
        let run = choices.pick(runs)
        let act = choices.pick([Intervention.Act.cancel, .release, .retry])
        let place = place(stream, run.step, run.name)
        if act == .cancel { life.model.cancels([place]) } else { life.model.retried(place) }
        do throws(JournalError) {
            try await journal.intervene(act, run.key, in: stream)
            guard !world.isDead else { return }
            life.note("\(act) \(run.key) of the closed stream \(stream)")
            life.count("intervention in a closed stream")
            if act == .cancel, observe() { life.model.cancelled([place]) }
            if act != .cancel { life.model.decided(place, attempts: run.attempts) }
        } catch {
            guard !world.isDead else { return }
            life.note("\(act) \(run.key) of the closed stream \(stream): \(error.code)")
            if error.isOfEndedEffect { life.model.notRetried(place) }
            if !error.isOfEndedEffect, !world.hasFault { life.report("\(act) \(run.key): \(error)") }
        }
    }

    /// Sets the wall clock forward or back.
    func jump() {
        guard life.plan.hasJumps else { return }
        world.jump(by: .seconds(choices.pick([60, 3_600, -60, -3_600])))
        life.note("the wall clock jumps")
        life.count("jump of the clock")
    }

    func backUp() async {
        guard let journal = world.journal, !world.hasFault else { return }
        let path = world.folder + "/backup-\(life.newName("b")).db"
        let isDetached = choices.isOne(in: 3)
        await attempt("backup") {
            try await journal.backup(to: path, detached: isDetached)
            let report = try JournalReader(path: path).verify()
            if !report.isSound { self.life.report("a backup is not sound: \(report.problems)") }
        }
        life.count("backup")
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Another process opens the journal.
    func openTwice() {
        guard world.journal != nil, !world.hasFault else { return }
        do {
            _ = try Journal(path: world.path, options: world.options)
            life.report("the journal was opened twice")
        } catch {
            life.note("second opening: \(error.code)")
            life.count("second opening")
            if error.code != .inUse { life.report("a second opening fails with \(error)") }
        }
    }

    /// The lock file is removed, and another process writes: this one must not write any more.
    func overtake() async {
        guard !world.hasFault, let store = await store(of: "a") else { return }
        (world.hasFault, world.hadFault) = (true, true)
        do {
            try FileManager.default.removeItem(atPath: world.path + "-lock")
            var options = world.options
            options.report = { _ in }
            options.probe = nil
            let other = try Journal(path: world.path, options: options)
            try await other.close()
        } catch {
            if !world.isDead { life.report("a writer without a lock file cannot begin: \(error)") }
            return
        }
        guard !world.isDead else { return }
        let act = invent().inForm(life.form)
        life.model.dispatched(act, to: "a", id: nil)
        do {
            _ = try await store.dispatch(act)
            if !world.isDead { life.report("\(act.name) was appended by a writer that was overtaken") }
        } catch {
            guard !world.isDead else { return }
            life.note("overtaken: \(error.code)")
            life.count("overtaken writer")
            if error.code != .fenced { life.report("a writer that was overtaken fails with \(error)") }
        }
        world.isBroken = true
    }
}

extension JournalError {
    /// The effect has ended meanwhile, and perhaps its record or its entry was pruned.
    var isOfEndedEffect: Bool { [.notInThatState, .noSuchStep, .noUsableSnapshot].contains(code) }
}
