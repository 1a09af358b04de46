import CJournalSQLite
import CSimulator
import Foundation
import JournalStore
import JournalTesting
import TortureKit

/// One life of a journal: processes one after another, with everything that can happen to them.
final class Life: @unchecked Sendable {
    // `@unchecked`: all jobs run on one thread.

    /// What stays the same during a life.
    struct Plan {
        var durability = Durability.full
        var snapshotSteps: Int? = nil
        var checkpointPages = 1000
        /// Whether jobs run in the order in which they became ready.
        var isOrderly = true
        /// Whether the clock can move while a job is ready.
        var isHasty = false
        /// What is wrong with its disk.
        var trouble: Trouble?
        var hasFaults: Bool { trouble != nil }
        var hasPowerCuts = false
        /// Whether the wall clock is set forward and back.
        var hasJumps = false
        /// The queue of all effects that can have one, so that many wait in it.
        var crowd: String?
        /// Whether all queues run one effect at a time.
        var hasNarrowQueues = false
        /// Whether each version of the machine reduces to other states.
        var changesRules = false
        /// Whether each version of the machine stores actions and states in another form.
        var changesForms = false
        /// Whether there are effects that a later version does not return.
        var dropsEffects = false
        /// Whether all queues have a delay.
        var hasSlowQueues = false
        /// Whether all effects that can have a restart policy have one.
        var hasPolicies = false
        /// Whether the times in the journal tell what happened in which order, and the model knows what a fork makes of
        /// it.
        var canGoOnInFork: Bool { !hasFaults && !isHasty && !hasJumps && !changesRules && !dropsEffects }
        /// Whether a host opens and closes the streams.
        var hasHost = false
        /// The most steps that one transaction of a pruning removes; nil for the default.
        var stepsPerPruning: Int?
    }

    /// What can be wrong with the disk of a life.
    enum Trouble {
        /// Any operation fails.
        case errors
        /// Syncs fail, and the power is cut.
        case syncs
        /// It is full at times.
        case full
        /// A table refuses rows at times.
        case refusals
    }

    static let start = Timestamp(microseconds: 1_767_225_600_000_000)

    /// The most jobs of a life.
    private static let limit = 200_000

    let choices: Choices
    let root: String
    private(set) var plan = Plan()
    var model = Model()
    private(set) var findings: [String] = []
    private(set) var lines: [String] = []
    private(set) var trace: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var counts: [String: Int] = [:]
    private(set) var boots = 1
    /// How often each stream was opened.
    var openings: [String: Int] = [:]
    var draws = 0
    /// The version of the machine.
    var version = 1
    /// The newest step that was pruned, by stream.
    var pruned: [String: Int] = [:]
    /// From which step to which one a stream is being pruned.
    var pruning: [String: (from: Int, to: Int)] = [:]
    /// How often it went on in a fork.
    var forks = 0
    /// The dispatch IDs and the actions that had them first.
    var dispatchIDs: [(id: String, name: String)] = []
    /// The dispatch IDs that both streams have.
    var sharedIDs: Set<String> = []
    private var names = 0
    private let keepsLines: Bool
    /// Where the journal is put if there is a finding.
    private let journal: String?
    private var thrown: [String: Int] = [:]
    private var jobs = 0
    /// The script may start another process after this one.
    var isOver = false
    /// The WAL that the next process does not find.
    private var withheld: Data?
    /// How many processes have come to their end.
    private(set) var worlds = 0

    init(_ choices: Choices, root: String, keepsLines: Bool = false, journal: String? = nil) {
        (self.choices, self.root, self.keepsLines, self.journal) = (choices, root, keepsLines, journal)
    }

    /// Which rules a version of the machine has.
    func rules(of version: Int) -> Int { plan.changesRules ? version : 1 }

    /// In which form a version of the machine stores actions and states.
    func form(of version: Int) -> Int { plan.changesForms ? version : 1 }

    /// In which form the current one does.
    var form: Int { form(of: version) }

    // MARK: What happens

    func note(_ line: @autoclosure () -> String) {
        let line = line()
        for byte in line.utf8 { trace = (trace ^ UInt64(byte)) &* 0x100_0000_01B3 }
        if keepsLines { lines.append(line) }
    }

    func count(_ event: String) { counts[event, default: 0] += 1 }

    func newName(_ letter: String) -> String {
        names += 1
        return "\(letter)\(names)"
    }

    func report(_ problem: String?) {
        guard let problem else { return }
        note("FINDING: \(problem)")
        findings.append(problem)
    }

    /// A stream is opened.
    func opens(_ stream: String) {
        openings[stream, default: 0] += 1
        model.opens(stream)
    }

    /// The newest step that was pruned of a stream was read.
    func sawPruned(_ step: Int, of stream: String) {
        if let (from, to) = pruning.removeValue(forKey: stream), step > from, step < to {
            count("pruning that ended after a part")
        }
        pruned[stream] = step
    }

    /// Whether a body throws now: `failures` times in the whole life, also if the process dies in between.
    func throwsAgain(_ place: String, _ failures: Int) -> Bool {
        guard thrown[place, default: 0] < failures else { return false }
        thrown[place, default: 0] += 1
        return true
    }

    /// What is wrong with a notice.
    func judge(_ notice: Notice, in world: World) -> String? {
        switch notice.kind {
        case .crashLoop:
            model.mayHold = true
            return nil
        // A kill leaves steps without a snapshot, and messages can come while no store is open.
        case .ambiguousEffects, .storeReleased, .olderSteps, .messagesWaiting: return nil
        case .effectFailed where notice.error.message.hasSuffix(" has failed: \(Crash())"): return nil
        case .copiedAfterFailure, .snapshotFailed, .effectFailed, .messageFailed, .recordIncomplete,
            .nothingRemembered, .journalStopped, .diskFull, .openingFailed:
            return plan.hasFaults ? nil : "a notice without a cause: \(notice)"
        // An app has no other way to see what a host has asked.
        case .askedEffects where plan.hasHost: return nil
        case .orphanedEffects where plan.hasHost && plan.dropsEffects: return nil
        // An allocation has failed.
        case .storeStopped where plan.trouble == .errors && notice.error.underlying == SQLITE_NOMEM: return nil
        default: return "a notice without a cause: \(notice)"
        }
    }

    // MARK: Living

    func run() throws {
        plan.durability = choices.isOne(in: 4) ? .normal : .full
        plan.isOrderly = !choices.isOne(in: 2)
        plan.isHasty = choices.isOne(in: 3)
        plan.snapshotSteps = choices.pick([nil, 3, 10, 1])
        plan.checkpointPages = [1000, 4, 40][choices.next(3)]
        plan.trouble = choices.pick([nil, nil, nil, nil, nil, .errors, .errors, .syncs, .full, .refusals])
        if plan.trouble == .syncs { plan.durability = .full }
        plan.hasPowerCuts = plan.durability == .full && (plan.trouble == .syncs || choices.isOne(in: 2))
        plan.hasJumps = choices.isOne(in: 4)
        model.mayFail = plan.hasFaults && plan.trouble != .full
        model.mayJump = plan.hasJumps
        plan.crowd = choices.pick([nil, nil, nil, "p", "q", "r", "s"])
        plan.hasSlowQueues = choices.isOne(in: 4)
        plan.hasPolicies = choices.isOne(in: 4)
        plan.hasNarrowQueues = choices.isOne(in: 3)
        plan.dropsEffects = choices.isOne(in: 4)
        plan.changesRules = !plan.hasFaults && choices.isOne(in: 3)
        plan.stepsPerPruning = choices.pick([nil, nil, 1, 4])
        plan.hasHost = choices.isOne(in: 4)
        plan.changesForms = choices.isOne(in: 2)
        model.isPunctual = !plan.isHasty && !plan.hasFaults && !plan.hasJumps
        var folder = try newFolder()
        var time = Life.start
        while !isOver, findings.isEmpty {
            let world = World(self, number: worlds, folder: folder, at: time)
            (world.withheld, withheld) = (withheld, nil)
            simulator_set_time(time.microseconds)
            Task.detached { [self] in
                await Script(self, world).play()
                world.isFinished = true
            }
            live(world)
            time = world.now
            if world.isDead {
                let next = try newFolder()
                if let fork = world.successor {
                    try goOn(in: fork, of: world, to: next)
                } else {
                    try leave(world, to: next)
                }
                time = Timestamp(
                    microseconds: time.microseconds + Int64([0, 1, 60, 3600][choices.next(4)]) * 1_000_000)
                folder = next
                // The app is updated before it starts again.
                if choices.isOne(in: 8) { version += 1 }
            }
            if !findings.isEmpty, let journal { try copyFiles(of: world, to: journal) }
            drain(world)
        }
        note("\(counts.filter { $0.value > 0 }.count) kinds of events")
    }

    private func newFolder() throws -> String {
        worlds += 1
        let folder = "\(root)/\(worlds)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Runs jobs until the script or the process has come to its end.
    private func live(_ world: World) {
        while !world.isFinished, !world.isDead, findings.isEmpty {
            jobs += 1
            guard jobs < Life.limit else { return report("the life does not come to its end") }
            if !turn(world) { return report("nothing can go on, and the script waits") }
        }
    }

    private func turn(_ world: World) -> Bool {
        let ready = Jobs.shared.count
        if ready > 0, !(plan.isHasty && choices.isOne(in: 50)) {
            Jobs.shared.run(plan.isOrderly ? 0 : choices.next(ready))
            return true
        }
        guard let wake = world.clock.nextWake else {
            if ready > 0 { Jobs.shared.run(0) }
            return ready > 0
        }
        world.clock.move(by: wake)
        simulator_set_time(world.now.microseconds)
        return true
    }

    /// Lets the rest of a dead process come to its end, so that it gives back what it holds. Nothing of that counts.
    private func drain(_ world: World) {
        if !world.isDead { world.kill() }
        simulator_fail_allocation(0)
        let journal = world.forget()
        Task.detached { try? await journal?.close() }
        for _ in 0..<5_000 {
            if Jobs.shared.count > 0 {
                Jobs.shared.run(0)
            } else if let wake = world.clock.nextWake, wake < .seconds(1_000_000) {
                world.clock.move(by: wake)
            } else {
                break
            }
        }
        Jobs.shared.drop()
    }

    /// Copies what the kill or the power cut left.
    private func leave(_ world: World, to folder: String) throws {
        if world.losesPower {
            boots += 1
            let isDone = world.vfs.loseUnsynced(seed: UInt64(choices.next(1 << 30)))
            precondition(isDone, "the files after a power cut could not be made")
        }
        try copyFiles(of: world, to: folder)
        if !plan.hasFaults, world.isWhole, choices.isOne(in: 6) { try withholdWAL(in: folder) }
        if let sidecar = world.sidecar { try sidecar.write(to: URL(fileURLWithPath: folder + "/life.db-lock")) }
        try? FileManager.default.removeItem(atPath: world.folder)
    }

    /// Makes a fork the journal of the next process.
    private func goOn(in fork: String, of world: World, to folder: String) throws {
        try FileManager.default.copyItem(atPath: fork, toPath: folder + "/life.db")
        try? FileManager.default.removeItem(atPath: world.folder)
    }

    /// Removes the WAL, as when only the database file is copied. Acknowledged entries may be in it.
    private func withholdWAL(in folder: String) throws {
        let wal = URL(fileURLWithPath: folder + "/life.db-wal")
        guard let data = try? Data(contentsOf: wal), !data.isEmpty else { return }
        withheld = data
        try FileManager.default.removeItem(at: wal)
        try? FileManager.default.removeItem(atPath: folder + "/life.db-shm")
        note("the WAL is taken away")
    }

    private func copyFiles(of world: World, to folder: String) throws {
        for suffix in ["", "-wal", "-shm", "-salvage", "-damaged", "-damaged-wal"] {
            guard FileManager.default.fileExists(atPath: world.path + suffix) else { continue }
            // It is memory, and gone after a power cut.
            if suffix == "-shm", world.losesPower { continue }
            try FileManager.default.copyItem(atPath: world.path + suffix, toPath: folder + "/life.db" + suffix)
        }
    }
}
