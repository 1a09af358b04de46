public import JournalStore

/// Kills a machine at every moment at which the result of a kill can differ, and checks that it ends in the same way
/// each time.
///
/// The machine first runs without a kill, on a clock that the matrix advances, with its tasks one after the other.
/// After every commit, at the start and at the end of every effect's body, and before and after every request to the
/// ``Outside``, the matrix saves the files that a kill would leave: once while the start of a body is not recorded yet,
/// and once when it is. It then opens each of these copies, as after a restart, repeats the script with the same
/// dispatch IDs, and compares the end with that of the first run. It then repeats all of this with a second kill at
/// each of the moments after the first.
///
/// ```swift
/// let report = try await CrashMatrix(cart, actions: [.add("apple"), .pay]) { outside in
///     Shop { items, key in outside.call("charge", key: key) { _ in "a receipt for \(items.count)" } }
/// }.run()
/// ```
///
/// State, entries, effects and requests to the outside must be the same in the end. No two effects may have the same
/// idempotency key, no body that may start at most once may start again, and the journal must be consistent.
///
/// Bodies must wait only on the clock of their context, directly or in a task that they start with `Task {}`. They must
/// share nothing with the world outside but the ``Outside``. A body that waits for anything else seems to wait for
/// ever.
public struct CrashMatrix<Action: Codable & Sendable, State: Codable & Sendable, Environment: Sendable>: Sendable {
    /// How the journal's entries are compared.
    public enum Entries: Hashable, Sendable {
        /// Actions and origins, in any order: concurrent effects can end in another order after a restart.
        case inAnyOrder
        /// Actions and origins, in their order.
        case inOrder
        /// The names of actions and their origins, in any order: for actions that carry times, random values or keys,
        /// or sets and dictionaries, whose order in the journal differs.
        case byName
    }

    let machine: Machine<Action, State, Environment>
    let script: [CrashStep<Action>]
    let environment: @Sendable (Outside) -> Environment
    /// Makes the machine that is opened.
    var opened: @Sendable (Outside) -> Machine<Action, State, Environment>
    /// The seed of the stream's random values and keys, the same in each run. With another one a machine draws others.
    public var seed: UInt64 = 0
    /// How the journal's entries are compared.
    public var entries = Entries.inAnyOrder
    /// Removes from a state what may differ, such as times and random values.
    public var normalize: @Sendable (inout State) -> Void = { _ in }
    /// Whether an end that differs from that of the run without a kill is acceptable: for effects that may start at
    /// most once.
    public var accepts: @Sendable (CrashOutcome<State>) -> Bool = { _ in false }
    /// Whether to kill the machine a second time.
    public var cutsTwice = true
    /// When snapshots are stored: often, so that openings begin with one.
    public var snapshots = SnapshotPolicy(everySteps: 4)
    /// How often the clock is advanced in one run, each time to the next moment at which something is due, before the
    /// run counts as endless.
    public var maximumTurns = 1000

    /// A matrix that dispatches actions one after the other, each when all effects of the one before have ended, its
    /// timers too.
    ///
    /// A timeout that the next action should cancel has then run out, and the action may be rejected: play a script
    /// without ``CrashStep/finish`` in that case.
    ///
    /// - Parameters:
    ///   - machine: the machine.
    ///   - actions: the actions to dispatch.
    ///   - environment: makes the environment, at every opening: what must survive a restart belongs to the outside.
    public init(
        _ machine: Machine<Action, State, Environment>, actions: [Action],
        environment: @escaping @Sendable (Outside) -> Environment
    ) {
        self.init(machine, script: actions.flatMap { [.dispatch($0), .finish] }, environment: environment)
    }

    /// A matrix that plays a script.
    public init(
        _ machine: Machine<Action, State, Environment>, script: [CrashStep<Action>],
        environment: @escaping @Sendable (Outside) -> Environment
    ) {
        self.machine = machine
        opened = { _ in machine }
        self.script = script + [.finish]
        self.environment = environment
    }

    /// Runs the whole matrix.
    ///
    /// - Returns: what was tried.
    /// - Throws: ``CrashMatrixFailure`` at the first cut that changes the end; `CancellationError` if the task is
    ///   cancelled.
    @discardableResult
    public func run() async throws -> CrashReport {
        let folder = try JournalFolder()
        let uncut: CrashLife<State>
        do {
            uncut = try await live(in: folder)
        } catch {
            try Task.checkCancellation()
            throw failure([], ["\(error)"])
        }
        let faults = uncut.ending.faults(comparedWith: uncut.ending)
        guard faults.isEmpty else { throw failure([], faults) }
        var seen: Set<String> = []
        let recorded = try await recordedImages(of: uncut, in: folder)
        let images = uncut.images + (recorded ?? [])
        let firsts = try cuts(images, in: folder).filter { seen.insert($0.content).inserted }
        var report = CrashReport()
        report.entries = uncut.ending.entries.count
        report.effects = uncut.ending.effects.count
        report.requests = uncut.ending.chronicle.answered
        report.unfinished = uncut.ending.unfinished
        report.failed = uncut.ending.effects.filter { $0.hasSuffix(" failed") }.count
        report.rejected = uncut.ending.rejected
        report.cuts = firsts.count
        report.equalCuts = images.count - firsts.count
        report.skipsRecordedStarts = recorded == nil
        // A failure that one cut shows is reported without a second one.
        for first in firsts { try await go(on: [first], after: uncut, in: folder) }
        guard cutsTwice else { return report }
        for first in firsts {
            // Repeat the run for its images: those of all first cuts together would be too many to keep.
            let images = try await go(on: [first], after: uncut, in: folder, keepsImages: true)
            for second in try cuts(images, in: folder) {
                guard seen.insert(second.content).inserted else {
                    report.equalSecondCuts += 1
                    continue
                }
                report.secondCuts += 1
                try await go(on: [first, second], after: uncut, in: folder)
            }
        }
        return report
    }

    /// The images of a run in which a body starts only when the record of its start is written. A request takes time,
    /// and meanwhile that record is written. Here it takes none, so without such a run no restart would find that a
    /// body has started.
    ///
    /// Nil if that run ends in another way, or not at all, because the script does not wait for effects which begin.
    private func recordedImages(of uncut: CrashLife<State>, in folder: JournalFolder) async throws -> [CrashImage]? {
        guard !uncut.ending.effects.isEmpty else { return [] }
        let life: CrashLife<State>
        do {
            life = try await live(in: folder, schedule: uncut.schedule, recordsStarts: true)
        } catch is CrashPace.Failure {
            return nil
        }
        let differences = life.ending.differences(
            from: uncut.ending, inOrder: entries == .inOrder, compare: compare(_:_:))
        return differences.isEmpty ? life.images : nil
    }

    /// Continues from the last of these cuts, and compares the end.
    ///
    /// - Returns: the images of further cuts.
    @discardableResult
    private func go(
        on cuts: [CrashCut], after uncut: CrashLife<State>, in folder: JournalFolder, keepsImages: Bool = false
    ) async throws -> [CrashImage] {
        try Task.checkCancellation()
        let names = cuts.map { "at moment \($0.image.number), \($0.image.moment); \($0.sight.description)" }
        let life: CrashLife<State>
        do {
            life = try await live(
                in: folder, after: cuts.last, schedule: uncut.schedule, keepsImages: keepsImages,
                recordsStarts: cuts.last?.image.recordsStarts ?? false)
        } catch {
            try Task.checkCancellation()
            throw failure(names, ["\(error)"])
        }
        let faults = life.ending.faults(comparedWith: uncut.ending)
        let differences = life.ending.differences(
            from: uncut.ending, inOrder: entries == .inOrder, compare: compare(_:_:))
        let interrupted = life.ending.chronicle.interrupted.sorted { $0.key < $1.key }.map(\.value)
        if differences.isEmpty || accepts(CrashOutcome(state: life.ending.state, interrupted: interrupted)) {
            if faults.isEmpty { return life.images }
            throw failure(names, faults)
        }
        guard !interrupted.isEmpty else { throw failure(names, faults + differences) }
        let lost = interrupted.map(\.name).joined(separator: ", ")
        let hint = "Not run again: \(lost). If a different end is acceptable then, set 'accepts'."
        throw failure(names, faults + differences + [hint])
    }

    private func failure(_ cuts: [String], _ differences: [String]) -> CrashMatrixFailure {
        CrashMatrixFailure(machine: machine.name, cuts: cuts, differences: differences)
    }

    private func compare(_ expected: State, _ found: State) -> ValueDiff? {
        var (expected, found) = (expected, found)
        normalize(&expected)
        normalize(&found)
        return machine.codec.areEqual(expected, found) ? nil : ValueDiff(from: expected, to: found)
    }
}

extension CrashMatrix where Environment == Void {
    /// A matrix for a machine without an environment; see ``init(_:actions:environment:)``.
    public init(_ machine: Machine<Action, State, Void>, actions: [Action]) {
        self.init(machine, actions: actions) { _ in }
    }

    /// A matrix for a machine without an environment; see ``init(_:script:environment:)``.
    public init(_ machine: Machine<Action, State, Void>, script: [CrashStep<Action>]) {
        self.init(machine, script: script) { _ in }
    }

    /// A matrix for a machine that has captured what its effects work with, as the side effects of a `Runtime`.
    ///
    /// - Parameters:
    ///   - actions: the actions to dispatch.
    ///   - machine: makes the machine, at every opening: what must survive a restart belongs to the outside. It is also
    ///     called once without an outside, for a machine that runs no effect.
    public init(actions: [Action], machine: @escaping @Sendable (Outside?) -> Machine<Action, State, Void>) {
        self.init(machine(nil), actions: actions)
        opened = machine
    }

    /// A matrix for a machine that has captured what its effects work with, which plays a script.
    ///
    /// - Parameters:
    ///   - script: the script.
    ///   - machine: makes the machine, as in ``init(actions:machine:)``.
    public init(script: [CrashStep<Action>], machine: @escaping @Sendable (Outside?) -> Machine<Action, State, Void>) {
        self.init(machine(nil), script: script)
        opened = machine
    }
}
