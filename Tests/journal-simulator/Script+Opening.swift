import Foundation
import JournalStore

extension Script {
    /// Opens the journal and its stores. If an injected fault prevents that, tries again without it.
    func open() async -> Bool {
        for _ in 0..<3 {
            do {
                let journal = try Journal(path: world.path, options: world.options)
                world.journal = journal
                var options = OpenOptions()
                options.crashLoopLimit = choices.isOne(in: 4) ? nil : 3
                if life.plan.hasHost {
                    try await host(journal, options)
                } else {
                    for name in Game.streams { try await open(name, journal, options) }
                }
                if world.isDead { return false }
                world.withheld = nil
                life.note("opened")
                life.count("opening")
                observe()
                world.follower = nil
                if choices.isOne(in: 2) { beginFollowing() }
                return true
            } catch {
                if world.isDead { return false }
                life.note("not opened: \(kind(error))")
                // A checkpoint that a reader holds up copies only some pages to the file, and it is damaged without the
                // WAL.
                if let withheld = world.withheld, [.acknowledgedEntriesLost, .corrupt].contains(error.code) {
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

    /// Opens a stream with the current version of the machine.
    private func open(_ name: String, _ journal: Journal, _ options: OpenOptions) async throws(JournalError) {
        if world.isDead { return }
        try await prepare(name, journal)
        if world.isDead { return }
        world.stores[name] = try await journal.open(
            Game.machine(version: life.version, world), stream: name, environment: world, clock: world.clock,
            options: options)
        try checkBase(of: name, journal)
    }

    /// Makes a host, which opens and closes the streams from now on, and lets it open each of them once.
    private func host(_ journal: Journal, _ options: OpenOptions) async throws(JournalError) {
        for name in Game.streams {
            try await prepare(name, journal)
            if world.isDead { return }
        }
        var hostOptions = HostOptions()
        (hostOptions.opening, hostOptions.maxOpenStreams) = (options, 1)
        let host = try journal.host(
            Game.machine(version: life.version, world), environment: world, clock: world.clock, options: hostOptions)
        world.host = host
        for name in Game.streams {
            _ = try await host.store(for: name)
            try checkBase(of: name, journal)
        }
        life.count("host")
    }

    /// What happens before a stream is opened, and what the model has to know of it then.
    private func prepare(_ name: String, _ journal: Journal) async throws(JournalError) {
        if life.model.head(of: name) > 0, choices.isOne(in: 8) { await openOtherMachine(journal, name) }
        life.opens(name)
        if choices.isOne(in: 4) { await skip(in: name, journal) }
        observe()
        if !world.isUnreadable, let info = try journal.reader.streams().first(where: { $0.name == name }) {
            // The last process may have ended before it could say so.
            life.sawPruned(info.prunedStep, of: name)
            let skipped = try journal.reader.skippedSteps(of: journal.reader.stream(name))
            life.report(life.model.read(skipped: skipped, of: name, after: info.prunedStep))
            let settled = info.settledStep
            let start = try journal.reader.snapshotSteps(in: name).last { $0 <= settled }
            life.model.opens(
                name, version: life.version, rules: life.rules(of: life.version), from: start ?? 0, settled: settled)
        }
        // Without reading the stream it is not known from which step it is folded.
        life.model.streams[name]?.version = life.version
    }

    /// A version that has opened a stream has a base there, if the entries are of an older one.
    private func checkBase(of name: String, _ journal: Journal) throws(JournalError) {
        guard !world.isDead, !world.isUnreadable else { return }
        let info = try journal.reader.stream(name)
        let bases = try journal.reader.snapshotMarks(of: info).filter(\.isBase)
        life.report(life.model.opened(name, base: bases.last?.step ?? 0))
        guard life.version > 1, bases.last?.version != life.version else { return }
        // The newest base says which versions cannot open the stream any more.
        let entries = try journal.reader.entries(in: name, from: info.prunedStep + 1, limit: .max)
        if let older = entries.first(where: { $0.version < life.version && $0.origin != .machine }) {
            life.report("step \(older.step) of \(name) is of version \(older.version), and \(life.version) has no base")
        }
    }

    /// Another machine must not get the stream.
    func openOtherMachine(_ journal: Journal, _ name: String) async {
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
    func recover() async {
        try? await world.forget()?.close()
        world.clearFaults()
        (world.hasFault, world.isPassing) = (false, false)
        life.count("recovery from a fault")
    }

    func reopen() async {
        let closesStores = choices.isOne(in: 2)
        let ended = await endedRuns()
        if closesStores {
            await closeHost()
            for name in Game.streams { await attempt("close \(name)") { try await self.world.stores[name]?.close() } }
            world.stores = [:]
            if world.isDead { return }
            if choices.isOne(in: 2) { await intervene() }
        }
        let journal = world.forget()
        await attempt("close") { try await journal?.close() }
        if world.isDead { return }
        life.count("close")
        if choices.isOne(in: 3) { life.version += 1 }
        guard await open(), closesStores, !world.hadFault, let first = Game.streams.first,
            let store = world.stores[first]
        else { return }
        checkEnded(ended)
        // No messages are sent to this stream.
        if store.recovery.replayedSteps > 0 {
            life.report("\(first) was closed, and its opening reduced \(store.recovery.replayedSteps) steps")
        }
    }

    private func closeHost() async {
        guard let host = world.host else { return }
        await attempt("close the host") { [self] in
            let left = await host.close(within: .seconds(choices.pick([0, 1, 12])))
            if let failure = left.failures.first { throw failure }
        }
        world.host = nil
    }

    /// Closes one stream and opens it again, while the other one goes on.
    func reopenOne(_ name: String) async {
        guard let journal = world.journal, let store = world.stores[name], !world.hasFault else { return }
        // They overlap with the close.
        for _ in 0..<choices.next(4) {
            let act = choices.isOne(in: 2) ? Act(name: life.newName("d"), ops: [.tell]) : invent()
            later(act, to: stream())
        }
        world.stores[name] = nil
        guard await attempt("close \(name)", { try await store.close() }) else { return }
        life.count("close of one stream")
        if choices.isOne(in: 2) { await wait(choices.pick([1, 3, 12])) }
        if world.isDead { return }
        await attempt("open \(name)") { [self] in try await open(name, journal, OpenOptions()) }
    }

    /// The runs that have ended, and whose ends may not be recorded yet, by stream, each with how often an operator has
    /// started it.
    func endedRuns() async -> [String: [RunKey: Int]] {
        var ended: [String: [RunKey: Int]] = [:]
        for name in Game.streams {
            guard let store = await store(of: name), let rows = try? world.journal?.reader.liveRuns(in: name),
                let live = try? await store.liveRuns()
            else { continue }
            for row in rows where !live.contains(where: { $0.key == row.key }) {
                ended[name, default: [:]][row.key] = retries(place(name, row.step, row.name))
            }
        }
        return ended
    }

    private func retries(_ place: String) -> Int { life.model.runs[place]?.retries ?? 0 }

    /// A store that was closed has recorded all ends.
    func checkEnded(_ ended: [String: [RunKey: Int]]) {
        for (name, store) in world.stores.sorted(by: { $0.key < $1.key }) {
            let live = store.recovery.resumed + store.recovery.cancelled + store.recovery.asked
            for run in live {
                let place = place(name, run.step, run.name)
                // An operator may have started it again since.
                guard ended[name]?[run.key] == retries(place) else { continue }
                life.report("\(place) had ended when \(name) was closed, and goes on")
            }
        }
    }
}
