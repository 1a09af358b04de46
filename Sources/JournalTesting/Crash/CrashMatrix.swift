public import JournalStore

/// Kills a machine at every moment that can make a difference, and asks whether it comes to the same end all the same.
///
/// The machine is run once without a disturbance, on a clock that is turned and with its tasks one after the other. After every commit,
/// at the start and at the end of every effect's body, and around every request to the ``Outside``, all that a kill would leave is
/// put aside. Each of these is then opened again, as after a restart: the script is repeated with the same dispatch IDs, and the
/// end is compared with that of the undisturbed run. All of this is done a second time with a second kill at each of the moments
/// after the first.
///
/// ```swift
/// let report = try await CrashMatrix(cart, actions: [.add("apple"), .pay]) { outside in
///     Shop { items, key in outside.call("charge", key: key) { _ in "a receipt for \(items.count)" } }
/// }.run()
/// ```
///
/// State, entries, effects and what was done outside must be the same in the end. No idempotency key is ever used for two effects, no
/// body that may run once at the most is started again, and the journal is sound.
///
/// Bodies wait on the clock of their context, and share nothing with the outside but the ``Outside``. What waits for anything else
/// is taken for something that waits for ever.
public struct CrashMatrix<Action: Codable & Sendable, State: Codable & Sendable, Environment: Sendable>: Sendable {
    /// How the journal's entries are compared.
    public enum Entries: Hashable, Sendable {
        /// Actions and origins, in any order: what runs at the same time can end in another order after a restart.
        case inAnyOrder
        /// Actions and origins, in their order.
        case inOrder
        /// The names of actions and their origins, in any order: for actions that carry times, random values or keys.
        case byName
    }

    let machine: Machine<Action, State, Environment>
    let script: [CrashStep<Action>]
    let environment: @Sendable (Outside) -> Environment

    /// How the journal's entries are compared.
    public var entries = Entries.inAnyOrder
    /// Takes out of a state what may differ, like times and random values.
    public var normalize: @Sendable (inout State) -> Void = { _ in }
    /// Whether another end than that of the undisturbed run is as good: for effects that may run once at the most.
    public var accepts: @Sendable (CrashOutcome<State>) -> Bool = { _ in false }
    /// Whether it is killed a second time.
    public var cutsTwice = true
    /// When states are kept: often, so that openings begin with one.
    public var snapshots = SnapshotPolicy(everySteps: 4)
    /// How often the clock is turned in one run before that is taken for a run without an end.
    public var maximumTurns = 1000

    /// A machine that is given actions one after the other, each when all that the one before led to has ended.
    ///
    /// - Parameters:
    ///   - machine: the machine.
    ///   - actions: what is dispatched.
    ///   - environment: makes what its effects work with. Called at every opening: what must survive a restart belongs to the outside.
    public init(
        _ machine: Machine<Action, State, Environment>, actions: [Action],
        environment: @escaping @Sendable (Outside) -> Environment
    ) {
        self.init(machine, script: actions.flatMap { [.dispatch($0), .finish] }, environment: environment)
    }

    /// A machine with which something is done.
    public init(
        _ machine: Machine<Action, State, Environment>, script: [CrashStep<Action>],
        environment: @escaping @Sendable (Outside) -> Environment
    ) {
        self.machine = machine
        self.script = script + [.finish]
        self.environment = environment
    }

    /// Runs all of it.
    ///
    /// - Returns: what was tried.
    /// - Throws: ``CrashMatrixFailure`` at the first cut that changes something.
    @discardableResult
    public func run() async throws -> CrashReport {
        let folder = try CrashFolder()
        let uncut: CrashLife<State>
        do {
            uncut = try await live(in: folder)
        } catch {
            throw failure([], ["\(error)"])
        }
        let faults = uncut.ending.faults(comparedWith: uncut.ending)
        guard faults.isEmpty else { throw failure([], faults) }
        var seen: Set<String> = []
        let firsts = try cuts(uncut.images, in: folder).filter { seen.insert($0.content).inserted }
        var report = CrashReport()
        report.entries = uncut.ending.entries.count
        report.effects = uncut.ending.effects.count
        report.unfinished = uncut.ending.effects.filter { $0.hasSuffix(" running") }.count
        report.cuts = firsts.count
        report.equalCuts = uncut.images.count - firsts.count
        // What one cut shows is told without a second one.
        for first in firsts { try await go(on: [first], after: uncut, in: folder) }
        guard cutsTwice else { return report }
        for first in firsts {
            // The same once more, as the images of all together would be too many to keep.
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

    /// Goes on from the last of these cuts, and compares.
    ///
    /// - Returns: what further cuts would leave.
    @discardableResult
    private func go(
        on cuts: [CrashCut], after uncut: CrashLife<State>, in folder: CrashFolder, keepsImages: Bool = false
    ) async throws -> [CrashImage] {
        let names = cuts.map { "at moment \($0.image.number), \($0.image.moment); \($0.sight.description)" }
        let life: CrashLife<State>
        do {
            life = try await live(
                in: folder, after: cuts.last, schedule: uncut.schedule, keepsImages: keepsImages)
        } catch {
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
        let hint = "Not run again: \(lost). If another end is as good then, say so with 'accepts'."
        throw failure(names, faults + differences + [hint])
    }

    private func failure(_ cuts: [String], _ differences: [String]) -> CrashMatrixFailure {
        CrashMatrixFailure(machine: machine.name, cuts: cuts, differences: differences)
    }

    private func compare(_ expected: State, _ found: State) -> ValueDiff? {
        var (expected, found) = (expected, found)
        normalize(&expected)
        normalize(&found)
        let isSame =
            ValueEquality.areEqual(expected, found)
            ?? ((try? machine.codec.encode(expected)) == (try? machine.codec.encode(found)))
        return isSame ? nil : ValueDiff(from: expected, to: found)
    }
}

extension CrashMatrix where Environment == Void {
    /// A machine without an environment; see ``init(_:actions:environment:)``.
    public init(_ machine: Machine<Action, State, Void>, actions: [Action]) {
        self.init(machine, actions: actions) { _ in }
    }

    /// A machine without an environment; see ``init(_:script:environment:)``.
    public init(_ machine: Machine<Action, State, Void>, script: [CrashStep<Action>]) {
        self.init(machine, script: script) { _ in }
    }
}
