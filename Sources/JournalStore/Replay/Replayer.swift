/// Replays a stream: the state after any step, what each step did, and what would have happened otherwise.
///
/// It runs no effect, writes nothing, and works while an app writes the journal. The environment is only passed to the
/// reducer: a stub is enough unless the reducer itself reads a value of it. With other values than the app had, the
/// states are others.
///
/// ```swift
/// let replayer = try Replayer(cart, environment: shop, reader: try JournalReader(path: "shop.db"), stream: "cart-42")
/// print(try replayer.state(at: 40))
/// for step in try replayer.steps(1...40) { print(step.action, step.changes) }
/// print(try replayer.skipping(17).state(at: 40))
/// ```
///
/// Long replays check for cancellation of their task, and throw ``JournalError/Code/cancelled`` then.
public struct Replayer<Action: Sendable, State: Sendable>: Sendable {
    let program: Program<Action, State>
    let reader: JournalReader
    package let info: StreamInfo
    private(set) var hypothesis = Hypothesis<Action>()
    /// Whether to use an older snapshot if a base cannot be read: ``OpenOptions/crossesBases`` of the store.
    let crossingBases: Bool
    let report: @Sendable (ReplayProgress) -> Void

    init(
        _ program: Program<Action, State>, _ reader: JournalReader, _ info: StreamInfo, crossingBases: Bool = false,
        _ report: @escaping @Sendable (ReplayProgress) -> Void
    ) {
        (self.program, self.reader, self.info) = (program, reader, info)
        (self.crossingBases, self.report) = (crossingBases, report)
    }

    /// A replayer of one stream.
    ///
    /// - Parameters:
    ///   - machine: the machine of that stream.
    ///   - environment: passed to the reducer.
    ///   - reader: the journal.
    ///   - stream: the stream's name.
    ///   - progress: called from time to time while many steps are reduced.
    /// - Throws: ``JournalError`` if there is no such stream, it belongs to another machine, or the machine cannot be
    ///   opened at all, for example because its state is a class.
    public init<Environment>(
        _ machine: Machine<Action, State, Environment>, environment: Environment, reader: JournalReader, stream: String,
        progress: @escaping @Sendable (ReplayProgress) -> Void = { _ in }
    ) throws(JournalError) where Action: Codable, State: Codable {
        let info = try reader.stream(stream)
        try reader.location(stream).check(
            machine.name, isMachineOfStream: info.machine, advice: "Replay it with its own machine.")
        let program = Program(machine, environment: environment, checksCoding: false)
        try program.check(file: reader.file, stream: stream)
        self.init(program, reader, info, progress)
    }

    /// A replayer of one stream, for a machine without an environment.
    ///
    /// - Throws: ``JournalError`` if there is no such stream, it belongs to another machine, or the machine cannot be
    ///   opened at all, for example because its state is a class.
    public init(
        _ machine: Machine<Action, State, Void>, reader: JournalReader, stream: String,
        progress: @escaping @Sendable (ReplayProgress) -> Void = { _ in }
    ) throws(JournalError) where Action: Codable, State: Codable {
        try self.init(machine, environment: (), reader: reader, stream: stream, progress: progress)
    }

    /// The machine's version.
    public var version: Int { program.version }

    /// The stream's name.
    public var stream: String { info.name }

    var location: ErrorLocation { reader.location(stream) }

    /// The newest step at this moment whose state can be computed.
    ///
    /// While results of effects share a transaction, it is for a moment not known whether the newest ones count.
    public var lastStep: Int { get throws(JournalError) { try reader.decidedStep(of: reader.stream(stream)) } }

    // MARK: States

    /// The state after a step; 0 is the state before the first.
    ///
    /// - Throws: ``JournalError`` if there is no such step, it was pruned, or an entry cannot be read.
    public func state(at step: Int) throws(JournalError) -> State {
        guard step >= 0 else { throw noStep(step) }
        var fold = try fold(atOrBefore: step)
        try advance(&fold, to: step)
        return fold.state
    }

    /// The state at a moment: after the last step that was committed by then.
    ///
    /// - Throws: ``JournalError`` as ``state(at:)-(Int)``.
    public func state(at time: Timestamp) throws(JournalError) -> State {
        try state(at: reader.knownLastStep(in: stream, atOrBefore: time))
    }

    /// The states after two steps. The second one is reduced on from the first, so the difference is what the steps
    /// between them did: of the snapshots between them only bases are used, which can hold states of older code.
    package func states(at first: Int, thenAt last: Int) throws(JournalError) -> (first: State, last: State) {
        guard first >= 0 else { throw noStep(first) }
        var fold = try fold(atOrBefore: first)
        try advance(&fold, to: first)
        let state = fold.state
        do throws(JournalError) { try advance(&fold, to: last) } catch {
            // Entries of the first steps can be kept although those between the two are gone: then the first is too old.
            guard error.code == .noUsableSnapshot, first < info.prunedStep else { throw error }
            throw changed(error) { $0.step = first }
        }
        return (state, fold.state)
    }

    /// A cursor in the history.
    ///
    /// - Parameter step: where it begins; 0 is before the first step.
    /// - Throws: ``JournalError`` as ``state(at:)-(Int)``.
    public func cursor(at step: Int = 0) throws(JournalError) -> ReplayCursor<Action, State> {
        guard step >= 0 else { throw noStep(step) }
        return try ReplayCursor(self, at: step)
    }

    // MARK: Steps

    /// What a step did.
    ///
    /// - Throws: ``JournalError`` if there is no such step, it was pruned, or an entry cannot be read; also if the step
    ///   was skipped, and its action cannot be decoded.
    public func step(_ step: Int) throws(JournalError) -> ReplayedStep<Action, State> {
        guard step > 0 else { throw noStep(step, hasState: false) }
        var fold = try fold(before: step)
        let next: (before: State, step: FoldedStep<Action, State>)?
        do throws(JournalError) { next = try fold.nextWithBefore() } catch { throw error.asked(for: step) }
        guard let (before, folded) = next else { throw fold.noStep(step) }
        return try ReplayedStep(folded, from: before, program, location)
    }

    /// Visits steps in order, with one in memory at a time. A skipped step whose action cannot be decoded is left out.
    ///
    /// - Parameters:
    ///   - steps: the steps; those after the end of the stream are left out, and so is the first number of
    ///     ``replayableSteps()``, which stands for a state.
    ///   - visit: called with each step. An error that it throws ends the replay.
    /// - Throws: ``JournalError`` as ``state(at:)-(Int)``, and what `visit` throws.
    public func forEach(in steps: ClosedRange<Int>, _ visit: (ReplayedStep<Action, State>) throws -> Void) throws {
        guard var fold = try fold(before: steps) else { return }
        while let step = try step(after: &fold, in: steps) { try visit(step) }
    }

    /// The steps of a range, all in memory, as ``forEach(in:_:)`` visits them.
    ///
    /// - Throws: ``JournalError`` as ``state(at:)-(Int)``.
    public func steps(_ range: ClosedRange<Int>) throws(JournalError) -> [ReplayedStep<Action, State>] {
        guard var fold = try fold(before: range) else { return [] }
        var steps: [ReplayedStep<Action, State>] = []
        while let step = try step(after: &fold, in: range) { steps.append(step) }
        return steps
    }

    /// The fold before the first of some steps; nil if the stream ends before it. The number before the oldest step
    /// stands for the state there, and is no step.
    private func fold(before steps: ClosedRange<Int>) throws(JournalError) -> Fold<Action, State>? {
        guard steps.lowerBound >= 0 else { throw noStep(steps.lowerBound) }
        let first = max(steps.lowerBound, steps.lowerBound == info.prunedStep ? info.prunedStep + 1 : 1)
        guard try first <= lastStep else { return nil }
        return try fold(before: first)
    }

    private func fold(before step: Int) throws(JournalError) -> Fold<Action, State> {
        do throws(JournalError) {
            var fold = try fold(atOrBefore: step - 1)
            try advance(&fold, to: step - 1)
            return fold
        } catch {
            throw error.asked(before: step, in: info)
        }
    }

    /// The next of some steps; nil after the last.
    private func step(
        after fold: inout Fold<Action, State>, in steps: ClosedRange<Int>
    ) throws(JournalError) -> ReplayedStep<Action, State>? {
        while fold.step < steps.upperBound {
            try tellNowAndThen(fold.step, of: steps.upperBound)
            guard let (before, folded) = try fold.nextWithBefore() else { return nil }
            // Only the action of a skipped step can fail here.
            if let step = try? ReplayedStep(folded, from: before, program, location) { return step }
        }
        return nil
    }

    // MARK: What if

    /// A replayer of what would have happened without a step. The other entries stay as they are, also those that the
    /// step's effects sent, and so do their times and random values. A number that no step has changes nothing.
    public func skipping(_ step: Int) -> Replayer {
        changed(self) { $0.hypothesis.skipped.insert(step) }
    }

    /// A replayer of what would have happened if a step had had another action. A step that an operator or ``skipping(_:)``
    /// has skipped stays skipped. A number that no step has changes nothing.
    public func replacing(_ step: Int, with action: Action) -> Replayer {
        changed(self) { $0.hypothesis.replaced[step] = action }
    }
}
