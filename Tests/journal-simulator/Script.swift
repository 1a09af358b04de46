import JournalStore

/// What the app, its users and its operators do in one process. Each decision is a choice of the life.
final class Script: @unchecked Sendable {
    // `@unchecked`: all jobs run on one thread.
    let life: Life
    let world: World
    var choices: Choices { life.choices }
    /// How many dispatches are under way that the script does not wait for.
    var underWay = 0

    init(_ life: Life, _ world: World) {
        (self.life, self.world) = (life, world)
    }

    func play() async {
        guard await open() else { return }
        await decide()
        if world.isDead { return }
        while choices.next(24) != 0 {
            await act()
            if world.isDead { return }
            observe()
            if !life.findings.isEmpty { return }
        }
        await finish()
    }

    /// Does something that may fail only because of a fault.
    @discardableResult
    func attempt(_ what: String, _ body: @escaping () async throws -> Void) async -> Bool {
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

    func kind(_ error: any Error) -> String {
        (error as? JournalError).map { "\($0.code)" } ?? "\(type(of: error))"
    }

    func act() async {
        switch choices.next(28) {
        case 0...4: await dispatch(invent(), to: stream(), hasID: choices.isOne(in: 3))
        case 5, 6: later(invent(), to: stream())
        case 7: await dispatchMany()
        case 8: await dispatchOnce()
        case 9...12: await wait(choices.pick([1, 3, 12, 40]))
        case 13: if choices.isOne(in: 2) { await cancelByCondition() } else { await cancelByID() }
        case 14: if choices.isOne(in: 3) { await cancelRun() } else { await letRun() }
        case 15: dispatchAndWait()
        case 16: await flush("a")
        case 17: await check()
        case 18: if choices.isOne(in: 3) { await reopenOne(stream()) } else { await reopen() }
        case 19, 20: arm()
        case 21: inject()
        case 22: await prune()
        case 23: if choices.isOne(in: 2) { await fork() } else { await backUp() }
        case 24: if choices.isOne(in: 2) { await damage() } else { openTwice() }
        case 25: jump()
        case 26: if life.plan.trouble == .errors { await overtake() } else { inject() }
        default: await dispatchAndFollow()
        }
        if world.hasFault, world.isBroken {
            await repair()
        } else if world.isPassing {
            switch choices.next(8) {
            case 1: await passFault()
            // An operator makes room.
            case 2: await prune()
            default: break
            }
        }
    }

    func stream() -> String { choices.pick(Game.streams) }

    /// The store of a stream; nil if a fault prevents that its host opens it.
    func store(of name: String) async -> Store<Act, Score>? {
        guard let host = world.host else { return world.stores[name] }
        do {
            let store = try await host.store(for: name)
            if host.openStreams < Game.streams.count { life.count("stream that its host has closed") }
            return store
        } catch {
            guard !world.isDead else { return nil }
            life.note("no store of \(name): \(error.code)")
            if !world.hadFault { life.report("the host does not open \(name): \(error)") }
            noteBroken(by: error)
            return nil
        }
    }

    func flush(_ name: String) async {
        guard let store = await store(of: name) else { return }
        await attempt("flush \(name)") { try await store.flush() }
    }
}
