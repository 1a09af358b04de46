import CFaultVFS
import CSQLite
import CSimulator
import Foundation
import JournalStore
import JournalTesting
import TortureKit

/// What the app, its users and its operators do in one process. Each decision is a choice of the life.
final class Script: @unchecked Sendable {
    // `@unchecked`: all jobs run on one thread.
    private let life: Life
    private let world: World
    private var choices: Choices { life.choices }
    /// Dispatches whose answers nobody waits for at once.
    private var underWay = 0

    init(_ life: Life, _ world: World) {
        (self.life, self.world) = (life, world)
    }

    func play() async {
        guard await open() else { return }
        while choices.next(24) != 0 {
            await act()
            if world.isDead { return }
            observe()
            if !life.findings.isEmpty { return }
        }
        await finish()
    }

    // MARK: Opening and closing

    /// Opens the journal and its stores. If an operation fails because it was told to, tries again without that.
    private func open() async -> Bool {
        for _ in 0..<3 {
            do {
                for name in Game.streams { life.openings[name, default: 0] += 1 }
                let journal = try Journal(path: world.path, options: world.options)
                world.journal = journal
                var options = OpenOptions()
                options.crashLoopLimit = choices.isOne(in: 4) ? nil : 3
                for name in Game.streams {
                    if life.model.head(of: name) > 0, choices.isOne(in: 8) { await openOtherMachine(journal, name) }
                    world.stores[name] = try await journal.open(
                        Game.machine(version: life.version, world), stream: name, environment: world,
                        clock: world.clock, options: options)
                    if world.isDead { return false }
                }
                world.withheld = nil
                life.note("opened")
                life.count("opening")
                observe()
                return true
            } catch {
                if world.isDead { return false }
                life.note("not opened: \(kind(error))")
                if let withheld = world.withheld, error.code == .acknowledgedEntriesLost {
                    life.count("noticed loss")
                    world.withheld = nil
                    await recover()
                    try? FileManager.default.removeItem(atPath: world.path + "-shm")
                    try? withheld.write(to: URL(fileURLWithPath: world.path + "-wal"))
                    continue
                }
                guard world.hasFault else {
                    life.report("the journal cannot be opened: \(error)")
                    return false
                }
                life.count("failed opening")
                await recover()
                if world.isDead { return false }
            }
        }
        return false
    }

    /// Another machine must not get the stream.
    private func openOtherMachine(_ journal: Journal, _ name: String) async {
        do {
            _ = try await journal.open(
                Game.machine(version: life.version, name: "other", world), stream: name, environment: world,
                clock: world.clock)
            if !world.isDead { life.report("the stream \(name) was opened with another machine") }
        } catch {
            guard !world.isDead else { return }
            life.note("another machine: \(error.code)")
            life.count("another machine")
            if error.code != .otherMachine, !world.hasFault { life.report("another machine: \(error)") }
        }
    }

    /// Gives everything back, as an app does that cannot write any more.
    private func recover() async {
        let journal = world.journal
        world.journal = nil
        world.stores = [:]
        try? await journal?.close()
        world.clearFaults()
        (world.hasFault, world.isFull) = (false, false)
        life.count("recovery from a fault")
    }

    private func reopen() async {
        if choices.isOne(in: 3) { life.version += 1 }
        let journal = world.journal
        let closesStores = choices.isOne(in: 2)
        let ended = await endedRuns()
        if closesStores {
            for name in Game.streams { await attempt("close \(name)") { try await self.world.stores[name]?.close() } }
            world.stores = [:]
            if world.isDead { return }
            if choices.isOne(in: 2) { await intervene() }
        }
        world.journal = nil
        world.stores = [:]
        await attempt("close") { try await journal?.close() }
        if world.isDead { return }
        life.count("close")
        guard await open(), closesStores, !world.hadFault, let first = Game.streams.first,
            let store = world.stores[first]
        else { return }
        checkEnded(ended)
        // Nobody sends a message to this one.
        if store.recovery.replayedSteps > 0 {
            life.report("\(first) was closed, and its opening reduced \(store.recovery.replayedSteps) steps")
        }
    }

    /// Closes one stream and opens it again, while the other one goes on.
    private func reopenOne() async {
        let name = stream()
        guard let journal = world.journal, let store = world.stores[name], !world.hasFault else { return }
        world.stores[name] = nil
        guard await attempt("close \(name)", { try await store.close() }) else { return }
        life.count("close of one stream")
        if choices.isOne(in: 2) { await wait(choices.pick([1, 3, 12])) }
        if world.isDead { return }
        life.openings[name, default: 0] += 1
        await attempt("open \(name)") { [self] in
            world.stores[name] = try await journal.open(
                Game.machine(version: life.version, world), stream: name, environment: world, clock: world.clock)
        }
    }

    /// The runs that have ended, and whose ends may not be recorded yet, by stream.
    private func endedRuns() async -> [String: [RunKey]] {
        var ended: [String: [RunKey]] = [:]
        for name in Game.streams {
            guard let store = world.stores[name], let rows = try? world.journal?.reader.liveRuns(of: name),
                let live = try? await store.effects()
            else { continue }
            ended[name] = rows.map(\.key).filter { key in !live.contains { $0.key == key } }
        }
        return ended
    }

    /// A store that was closed has recorded all ends.
    private func checkEnded(_ ended: [String: [RunKey]]) {
        for (name, store) in world.stores.sorted(by: { $0.key < $1.key }) {
            let live = store.recovery.resumed + store.recovery.cancelled + store.recovery.asked
            for run in live where ended[name]?.contains(run.key) == true {
                life.report("\(place(name, run.step, run.name)) had ended when \(name) was closed, and goes on")
            }
        }
    }

    /// Does something that may fail only because of a fault.
    @discardableResult
    private func attempt(_ what: String, _ body: @escaping () async throws -> Void) async -> Bool {
        do {
            try await body()
            if !world.isDead { life.note(what) }
            return true
        } catch {
            if world.isDead { return false }
            life.note("\(what): \(kind(error))")
            if !world.hasFault { life.report("\(what): \(error)") }
            return false
        }
    }

    private func kind(_ error: any Error) -> String {
        (error as? JournalError).map { "\($0.code)" } ?? "\(type(of: error))"
    }

    // MARK: One act

    private func act() async {
        switch choices.next(28) {
        case 0...4: await dispatch(invent(), to: stream())
        case 5, 6: later()
        case 7: await dispatchMany()
        case 8: await dispatchOnce()
        case 9...12: await wait(choices.pick([1, 3, 12, 40]))
        case 13: await cancelByID()
        case 14: await cancelRun()
        case 15: await retryRun()
        case 16: await attempt("flush") { try await self.world.stores["a"]?.flush() }
        case 17: await check()
        case 18: if choices.isOne(in: 3) { await reopenOne() } else { await reopen() }
        case 19, 20: arm()
        case 21: inject()
        case 22: await prune()
        case 23: await backUp()
        case 24: openTwice()
        case 25: jump()
        case 26: await overtake()
        default: await dispatchAndFollow()
        }
        if world.hasFault, world.isBroken {
            await repair()
        } else if world.isFull, choices.isOne(in: 3) {
            makeRoom()
        }
    }

    /// The disk is not full any more: the journal goes on by itself.
    private func makeRoom() {
        world.clearFaults()
        (world.hasFault, world.isFull) = (false, false)
        life.note("there is room again")
        life.count("room on a full disk")
    }

    /// After a fault the app closes the journal and opens it again.
    private func repair() async {
        await recover()
        if world.isDead { return }
        world.isBroken = false
        guard await open(), life.plan.hasPowerCuts, world.crashPoints == nil, choices.isOne(in: 3) else { return }
        // What a failed sync did not write must not be needed any more.
        world.losesPower = true
        world.vfs.cutPower(afterOperations: UInt64(choices.next(40)))
        life.note("to lose power soon")
    }

    private func stream() -> String { choices.pick(Game.streams) }

    /// - Parameter isAlone: whether the script waits for it.
    private func dispatch(
        _ act: Act, to stream: String, id: String? = nil, tracks: Bool = false, isAlone: Bool = true
    ) async {
        guard let store = world.stores[stream] else { return }
        life.model.dispatched(act, to: stream, id: id)
        life.note("dispatch \(act) to \(stream)")
        do {
            let answer = try await store.dispatch(act, id: id, trackingFeedback: tracks)
            guard !world.isDead else { return }
            answered(act, answer)
            if tracks {
                await answer.completion()
                guard !world.isDead else { return }
                life.note("\(act.name) is complete")
                let left = (try? await store.effects())?.first { $0.rootStep == answer.step }
                if let left, !world.isDead { life.report("\(act.name) is complete, and \(left.key) has not ended") }
            } else if isAlone, choices.isOne(in: 12) {
                await cancelAll(of: answer, in: stream, store)
            }
        } catch {
            failed([act], error)
        }
    }

    private func answered(_ act: Act, _ answer: Dispatched<Act>) {
        life.note("\(act.name) is step \(answer.step) (\(answer.outcome))")
        life.report(life.model.answered(act.name, step: answer.step, isRepeat: answer.outcome == .repeated))
        switch answer.outcome {
        case .reduced where act.ops.contains(.reject): life.report("\(act.name) was to be rejected, and was reduced")
        case .rejected where !act.ops.contains(.reject): life.report("\(act.name) was rejected")
        case .rejected: life.count("rejected action")
        case .repeated: life.count("repeated dispatch")
        case .reduced: life.count("dispatch")
        }
    }

    private func failed(_ acts: [Act], _ error: any Error) {
        guard !world.isDead else { return }
        life.note("\(acts.first?.name ?? "") failed: \(kind(error))")
        guard let error = error as? JournalError, world.hadFault || error.code == .closed else {
            return life.report("\(acts.first?.name ?? ""): \(error)")
        }
        world.isBroken = error.code != .diskFull
        life.count("failed dispatch")
        guard error.code != .outcomeUnknown, error.code != .fenced else { return }
        for act in acts { life.model.refused(act.name) }
    }

    /// Dispatches, and goes on before the answer.
    private func later() {
        let (act, stream) = (invent(), stream())
        underWay += 1
        Task.detached { [self] in
            await dispatch(act, to: stream, isAlone: false)
            underWay -= 1
        }
    }

    private func dispatchMany() async {
        let acts = (0..<2 + choices.next(4)).map { _ in invent() }
        let stream = stream()
        guard let store = world.stores[stream] else { return }
        for act in acts { life.model.dispatched(act, to: stream, id: nil) }
        life.note("dispatch \(acts.map(\.name))")
        do {
            let answers = try await store.dispatch(contentsOf: acts)
            guard !world.isDead else { return }
            for (act, answer) in zip(acts, answers) { answered(act, answer) }
            life.count("dispatch of many")
        } catch {
            failed(acts, error)
        }
    }

    /// A dispatch ID; sometimes one that was used before, with the same action.
    private func dispatchOnce() async {
        if choices.isOne(in: 2), !life.dispatchIDs.isEmpty {
            let (id, first) = life.dispatchIDs[life.dispatchIDs.count - 1 - choices.next(life.dispatchIDs.count)]
            guard let known = life.model.dispatches[first], let store = world.stores[known.stream] else { return }
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
                let answer = try await store.dispatch(known.act, id: id)
                guard !world.isDead else { return }
                life.note("\(first) again is step \(answer.step) (\(answer.outcome))")
                let isRepeat = answer.outcome == .repeated
                if isRepeat { life.count("repeated dispatch") }
                life.report(life.model.answered(first, step: answer.step, isRepeat: isRepeat))
            } catch {
                failed([], error)
            }
        } else {
            let act = invent()
            life.dispatchIDs.append((act.name, act.name))
            await dispatch(act, to: stream(), id: act.name)
        }
    }

    /// The ID of a dispatch that is in the journal, for another action.
    private func useAgain(_ id: String, of known: Model.Dispatch, _ store: Store<Act, Score>) async {
        guard known.step != nil else { return }
        let act = invent()
        do {
            let answer = try await store.dispatch(act, id: id)
            if !world.isDead { life.report("\(act.name) has the ID of \(known.act.name), and is step \(answer.step)") }
        } catch {
            guard !world.isDead else { return }
            life.note("\(act.name) with the ID of \(known.act.name): \(error.code)")
            if error.code == .dispatchIDReused { life.count("reused dispatch ID") } else { failed([], error) }
        }
    }

    /// Cancels all that follows from a dispatch.
    private func cancelAll(of answer: Dispatched<Act>, in stream: String, _ store: Store<Act, Score>) async {
        life.model.cancels(root: answer.step, of: stream)
        // Messages are not cancelled.
        let isMeant = { (run: EffectRun) in run.rootStep == answer.step && run.name != "b" }
        await cancel("cancel all of step \(answer.step) of \(stream)", stream, store, isMeant) {
            try await answer.cancel()
            let left = (try? await store.effects())?.first(where: isMeant)
            if let left, !world.isDead {
                life.report("all of step \(answer.step) of \(stream) was cancelled, and \(left.key) has not ended")
            }
        }
    }

    /// Dispatches, and waits for all that follows from it.
    private func dispatchAndFollow() async {
        await dispatch(invent(), to: stream(), tracks: choices.isOne(in: 2))
    }

    private func wait(_ seconds: Int) async {
        life.note("wait \(seconds)")
        try? await world.clock.sleep(for: .seconds(seconds))
    }

    private func cancelByID() async {
        let (id, stream) = (choices.pick(Script.ids), stream())
        guard let store = world.stores[stream] else { return }
        life.model.cancels(id: id)
        await cancel("cancel \(id) in \(stream)", stream, store, { $0.effectID?.as(String.self) == id }) {
            try await store.cancel(id: id)
        }
    }

    private func cancelRun() async {
        let stream = stream()
        guard let store = world.stores[stream], let run = (try? await store.effects())?.first, !world.isDead else {
            return
        }
        await cancel("cancel \(run.key) of \(stream)", stream, store, { $0.key == run.key }) {
            do {
                try await store.cancel(run.key)
            } catch let error as JournalError where error.code == .notInThatState {
                throw Ended()
            }
        }
    }

    /// The run has ended meanwhile.
    private struct Ended: Error {}

    /// Cancels, and tells the model what was acknowledged.
    private func cancel(
        _ what: String, _ stream: String, _ store: Store<Act, Score>, _ isMeant: (EffectRun) -> Bool,
        _ body: () async throws -> Void
    ) async {
        do {
            let places = try await store.effects().filter(isMeant).map { place(stream, $0.step, $0.name) }
            guard !world.isDead else { return }
            life.model.cancels(places)
            try await body()
            guard !world.isDead else { return }
            life.note(what)
            life.count("cancellation")
            // What is committed until now may come from these runs, and nothing after it.
            guard observe() else { return }
            life.model.cancelled(places)
        } catch is Ended {
            life.note("\(what): it had ended")
        } catch {
            guard !world.isDead else { return }
            life.note("\(what): \(kind(error))")
            let isFull = (error as? JournalError)?.code == .diskFull
            if !world.hasFault { life.report("\(what): \(error)") } else if !isFull { world.isBroken = true }
        }
    }

    private func retryRun() async {
        let stream = stream()
        guard let store = world.stores[stream] else { return }
        let ended = (try? world.journal?.reader.effectRuns(of: stream)) ?? []
        guard let run = ended.last(where: { $0.status == .failed || $0.status == .cancelled }) else { return }
        life.model.retried(place(stream, run.step, run.name))
        do {
            try await store.retry(run.key)
            guard !world.isDead else { return }
            life.note("retry \(run.key) of \(stream)")
            life.count("retry by an operator")
        } catch {
            guard !world.isDead else { return }
            life.note("retry \(run.key) of \(stream): \(error.code)")
            let isAllowed = error.code == .notInThatState || world.hasFault
            if !isAllowed { life.report("retry \(run.key): \(error)") }
        }
    }

    /// An operator changes an effect of a stream that no store has open.
    private func intervene() async {
        let stream = stream()
        guard let journal = world.journal, !world.hasFault else { return }
        let runs = (try? journal.reader.effectRuns(of: stream)) ?? []
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
        } catch {
            guard !world.isDead else { return }
            life.note("\(act) \(run.key) of the closed stream \(stream): \(error.code)")
            if error.code != .notInThatState, !world.hasFault { life.report("\(act) \(run.key): \(error)") }
        }
    }

    /// Somebody sets the wall clock.
    private func jump() {
        guard life.plan.hasJumps else { return }
        world.jump(by: .seconds(choices.pick([60, 3_600, -60, -3_600])))
        life.note("the wall clock jumps")
        life.count("jump of the clock")
    }

    private func prune() async {
        let stream = stream()
        guard let journal = world.journal, let store = world.stores[stream] else { return }
        // Without a flush some steps may not be settled.
        if !choices.isOne(in: 3) { await attempt("flush \(stream)") { try await store.flush() } }
        let head = life.model.head(of: stream)
        guard head > 0 else { return }
        let step = 1 + choices.next(head)
        let recorded = Set(((try? journal.reader.liveRuns(of: stream)) ?? []).map(\.key))
        do {
            let report = try await journal.prune(stream, before: step)
            guard !world.isDead else { return }
            life.note("pruned \(stream) before \(step): \(report)")
            life.count("pruning")
            if let info = try? journal.reader.stream(stream) { life.pruned[stream] = info.prunedStep }
            if !world.hasFault { try await checkLive(recorded, in: stream, store, journal.reader) }
        } catch {
            guard !world.isDead else { return }
            life.note("prune \(stream) before \(step): \(error.code)")
            if error.code != .noUsableSnapshot, !world.hasFault { life.report("prune: \(error)") }
        }
    }

    /// Pruning keeps the records of live runs, and what they remember.
    private func checkLive(
        _ recorded: Set<RunKey>, in stream: String, _ store: Store<Act, Score>, _ reader: JournalReader
    ) async throws(JournalError) {
        let live = try await store.effects().filter { recorded.contains($0.key) }
        guard !world.isDead else { return }
        let kept = Set(try reader.effectRuns(of: stream).map(\.key))
        for run in live {
            let place = place(stream, run.step, run.name)
            if !kept.contains(run.key) { life.report("\(place) is live, and pruning removed its record") }
            guard life.model.runs[place]?.remembered != nil else { continue }
            if try reader.remembered(of: stream, step: run.step, ordinal: run.ordinal).isEmpty {
                life.report("\(place) is live, and pruning removed what it remembers")
            }
        }
    }

    private func backUp() async {
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
    private func openTwice() {
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

    /// Somebody removes the lock file, and another process writes: this one must not go on.
    private func overtake() async {
        guard life.plan.hasFaults, !world.hasFault, let store = world.stores["a"] else { return }
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
        let act = invent()
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

    // MARK: Kills and faults

    private func arm() {
        guard world.crashPoints == nil else { return }
        let number = choices.next(12)
        if life.plan.hasPowerCuts, choices.isOne(in: 2) {
            world.losesPower = true
            world.vfs.cutPower(afterOperations: UInt64(number))
        } else if choices.isOne(in: 2) {
            life.count("kill at an operation")
            world.vfs.cutPower(afterOperations: UInt64(number))
        } else {
            world.crashPoints = number
        }
        life.note("to be killed soon")
    }

    private func inject() {
        guard life.plan.hasFaults, !world.hasFault else { return }
        world.hasFault = true
        world.hadFault = true
        let nth = UInt64(1 + choices.next(6))
        let suffix = choices.pick(["", "-wal", ".db"])
        let fault = choices.next(11)
        world.isFull = fault == 2 || fault == 6
        switch fault {
        case 0, 7, 8: world.vfs.fail(FAULT_SYNC, suffix: suffix, nth: nth, code: ioError(4))
        case 1: world.vfs.fail(FAULT_WRITE, suffix: suffix, nth: nth, code: ioError(3))
        case 2, 6: world.vfs.fail(FAULT_WRITE, suffix: suffix, nth: nth, code: SQLITE_FULL)
        case 3: world.vfs.fail(FAULT_WRITE, suffix: suffix, nth: nth, code: ioError(3), manner: FAULT_TORN)
        case 4: world.vfs.fail(FAULT_READ, suffix: suffix, nth: nth, code: ioError(1))
        case 9, 10:
            simulator_fail_allocation(UInt64(1 + choices.next(2_000)))
            life.count("failing allocation")
        default: world.vfs.fail(FAULT_TRUNCATE, suffix: suffix, nth: nth, code: ioError(6))
        }
        life.note("a fault is to come")
        life.count("fault")
    }

    /// SQLite's extended code for this kind of I/O error: a macro that Swift does not see.
    private func ioError(_ kind: Int32) -> Int32 { SQLITE_IOERR | kind << 8 }

    // MARK: Comparing with the model

    /// Reads what is new in the journal.
    ///
    /// - Returns: whether everything was read.
    @discardableResult
    private func observe() -> Bool {
        guard !world.isDead, !world.hasFault, let journal = world.journal else { return false }
        do {
            for name in Game.streams {
                let rows = try journal.reader.entries(in: name, from: life.model.head(of: name) + 1, limit: .max)
                for row in rows { life.count("entry from \(row.origin)") }
                let acts = try rows.map { (try Game.codec.decode(Act.self, from: $0.action), $0) }
                life.report(life.model.read(acts, of: name))
                life.report(life.model.read(try journal.reader.effectRuns(of: name), of: name))
            }
            return true
        } catch let error as JournalError where error.code == .unknownStream {
            // Not opened for the first time yet.
        } catch {
            life.report("the journal cannot be read: \(error)")
        }
        return false
    }

    /// Verifies the file, and replays.
    private func check() async {
        guard let journal = world.journal, !world.hasFault else { return }
        do {
            let report = try journal.reader.verify()
            if !report.isSound { life.report("the journal is not sound: \(report.problems)") }
            for (name, store) in world.stores.sorted(by: { $0.key < $1.key }) {
                try await store.flush()
                if world.isDead { return }
                if let difference = try store.replayer().verify().divergence {
                    life.report("a replay of \(name) differs: \(difference)")
                }
            }
            life.count("verification")
            let attributes = try? FileManager.default.attributesOfItem(atPath: world.path + "-wal")
            let pages = (attributes?[.size] as? Int ?? 0) / 4096
            if life.plan.checkpointPages < 10, !world.hadFault, pages > 150 {
                life.report("the WAL has \(pages) pages, and a checkpoint is due after \(life.plan.checkpointPages)")
            }
        } catch {
            if !world.isDead { life.report("the journal cannot be verified: \(error)") }
        }
    }

    /// Lets everything come to its end, without faults and kills.
    private func finish() async {
        world.crashPoints = nil
        world.losesPower = false
        if world.isFull, !world.isBroken { makeRoom() }
        world.clearFaults()
        if world.hasFault || world.isBroken { await repair() }
        life.note("the end begins")
        for _ in 0..<200 {
            guard !world.isDead, life.findings.isEmpty else { return }
            var isQuiet = underWay == 0
            for name in Game.streams {
                guard let store = world.stores[name] else { return }
                await attempt("flush \(name)") { try await store.flush() }
                for run in (try? await store.effects()) ?? [] {
                    isQuiet = false
                    guard run.status == .asked || run.status == .parked else { continue }
                    life.count("released effect")
                    life.model.retried(place(name, run.step, run.name))
                    await attempt("release \(run.key) of \(name)") { try await store.release(run.key) }
                }
            }
            if isQuiet { break }
            await wait(30)
        }
        for (name, store) in world.stores.sorted(by: { $0.key < $1.key }) {
            await attempt("flush \(name)") { try await store.flush() }
        }
        observe()
        guard life.findings.isEmpty else { return }
        for (name, store) in world.stores.sorted(by: { $0.key < $1.key }) {
            let (expected, state) = (life.model.score(of: name), store.state)
            if state.count != expected.count || state.digest != expected.digest {
                life.report("the state of \(name) is \(state), not \(expected)")
            }
        }
        if life.findings.isEmpty { await follow() }
        life.report(life.model.ended(pruned: life.pruned))
        for run in life.model.runs.values {
            if let status = run.status { life.count("effect that ended as \(status)") }
        }
        await check()
        await reopenOnce()
        life.isOver = true
    }

    /// Follows the entries from the beginning.
    private func follow() async {
        guard let reader = world.journal?.reader, (try? reader.streams())?.allSatisfy({ $0.prunedStep == 0 }) == true
        else { return }
        do {
            var left = Game.streams.map { life.model.head(of: $0) }.reduce(0, +)
            var steps: [String: Int] = [:]
            guard left > 0 else { return }
            for try await entry in reader.entries() {
                let expected = steps[entry.stream, default: 0] + 1
                if entry.step != expected {
                    return life.report("a follower of \(entry.stream) got step \(entry.step), not \(expected)")
                }
                steps[entry.stream] = entry.step
                left -= 1
                if left == 0 { break }
            }
        } catch {
            if !world.isDead { life.report("the entries cannot be followed: \(error)") }
        }
    }

    /// The state after another opening is the same, to the last bit.
    private func reopenOnce() async {
        let before = world.stores.mapValues(\.state)
        let journal = world.journal
        world.journal = nil
        world.stores = [:]
        await attempt("last close") { try await journal?.close() }
        guard await open() else { return }
        let after = world.stores.mapValues(\.state)
        if before != after { life.report("the states before the last opening were \(before), and are \(after)") }
        if let lines = try? world.journal?.reader.lines() {
            // The writer's row has the path of the file.
            for line in lines where !line.hasPrefix("writer|") { life.note(line) }
        }
        let last = world.journal
        world.journal = nil
        world.stores = [:]
        await attempt("close") { try await last?.close() }
    }

    // MARK: Inventing

    private static let ids = ["x", "y", "z"]

    private func invent(depth: Int = 0) -> Act {
        var act = Act(name: life.newName("d"))
        while act.ops.count < 3, choices.next(3) != 0 { act.ops.append(op(depth)) }
        return act
    }

    private func op(_ depth: Int) -> Op {
        switch choices.next(12) {
        case 0...6: .start(spec(depth))
        case 7: .cancel(choices.pick(Script.ids))
        case 8: depth < 2 ? .next(invent(depth: depth + 1)) : .tell
        case 9: choices.isOne(in: 2) ? .reject : .tell
        case 10: .update(lane())
        default: .tell
        }
    }

    private func lane() -> Lane {
        let name = life.plan.crowd ?? choices.pick(["p", "q", "r"])
        let kinds: [Lane.Kind] =
            name == "p" ? [.suspending] : name == "q" ? [.suspending, .discarding] : Lane.Kind.allCases
        return Lane(
            name: name, kind: choices.pick(kinds), limit: 1 + choices.next(2),
            delay: life.plan.hasSlowQueues || choices.isOne(in: 5) ? 2 : 0)
    }

    private func spec(_ depth: Int) -> Spec {
        var spec = Spec(name: life.newName("e"))
        spec.kind = choices.pick(Spec.Kind.allCases)
        if choices.isOne(in: 3) { spec.id = choices.pick(Script.ids) }
        if life.plan.crowd != nil || choices.isOne(in: 3) { spec.lane = lane() }
        spec.delay = choices.pick([0, 0, 0, 2, 10])
        spec.nap = choices.pick([0, 0, 0, 1, 5, 25])
        if choices.isOne(in: 4) { spec.restart = choices.pick(Spec.Restart.allCases) }
        if choices.isOne(in: 4) {
            spec.attempts = 1 + choices.next(3)
            spec.failures = choices.next(4)
            spec.reportsFailure = choices.isOne(in: 2)
        }
        spec.remembers = choices.isOne(in: 4)
        spec.isStubborn = choices.isOne(in: 6)
        if [.stream, .sequence, .every].contains(spec.kind) { spec.count = 1 + choices.next(3) }
        if depth < 2, choices.isOne(in: 4) { spec.then = [op(depth + 1)] }
        switch spec.kind {
        case .after, .at, .every:
            (spec.lane, spec.restart, spec.failures, spec.reportsFailure) = (nil, .resume, 0, false)
            // Longer than a timer waits before it reads the clock again.
            if spec.kind == .at, choices.isOne(in: 3) { spec.delay = 45 }
        case .ephemeral: (spec.restart, spec.remembers, spec.failures, spec.reportsFailure) = (.resume, false, 0, false)
        default: break
        }
        return spec
    }
}
