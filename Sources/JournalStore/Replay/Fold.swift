/// The state of a stream, computed by folding its entries; runs no effects.
struct Fold<Action: Sendable, State: Sendable>: Sendable {
    let program: Program<Action, State>
    let reader: JournalReader
    let stream: StreamInfo
    /// Read ahead, for ``next()`` and ``pass(towards:)``. Before the state: the offset must not depend on `State`.
    private var page: ArraySlice<Entry> = []
    private var plainPage = StoredSteps()
    /// The actions of the next steps of ``plainPage`` that are decoded. A copy of the fold, which shares them, decodes
    /// its own.
    private var decoded: DecodedActions<Action>?
    /// The page after ``plainPage``.
    private var nextPage: DecodedAhead<Action>?
    /// How many entries ``next()`` reads the next time. Begins small, because it is often called for a single step.
    private var ahead = Self.fewest
    private var reduced: ReducedState<Action, State>
    /// The step after which ``state`` is the state.
    private(set) var step: Int
    /// The state that the fold began with, and its step: where it begins again to undo a rejected step.
    private(set) var origin: (state: State, step: Int)
    /// Whether ``state`` must be computed again first, because that failed after a rejected step.
    private var isSpoiled = false
    /// Checks what is read; nil before the first entry.
    private var chain: ChainFollower?
    /// The steps that an operator skipped.
    private(set) var skippedSteps: Set<Int>
    /// Whether to ignore bases. If not, the fold continues at a base with its state, whatever it computed itself.
    private let crossingBases: Bool
    /// The steps to skip and the actions to replace.
    private let hypothesis: Hypothesis<Action>
    /// The steps of the bases among the steps that were read ahead.
    private var bases: ArraySlice<Int> = []
    /// Up to this step it is known which actions count.
    private var decidedStep: Int
    /// The steps, of those that were read ahead and of those that were learned, whose effects had been cancelled before
    /// their turn came.
    private var cancelledSteps: Set<Int> = []
    private var learned: Set<Int>

    /// Begins with the newest readable snapshot at or before a step, or with the machine's initial state.
    ///
    /// - Parameters:
    ///   - skippedSteps: the steps that an operator skipped, if the caller has read them.
    ///   - decisions: what an open store knows and may not have recorded.
    ///   - skipped: called for each snapshot that cannot be read.
    init(
        _ program: Program<Action, State>, _ reader: JournalReader, _ stream: StreamInfo, atOrBefore step: Int,
        crossingBases: Bool = false, skippedSteps: Set<Int>? = nil, decisions: StepDecisions = StepDecisions(),
        hypothesis: Hypothesis<Action> = Hypothesis(), skipped: (JournalError) -> Void = { _ in }
    ) throws(JournalError) {
        self.program = program
        self.reader = reader
        self.stream = stream
        self.crossingBases = crossingBases
        self.hypothesis = hypothesis
        (decidedStep, learned) = (max(stream.settledStep, decisions.step), decisions.cancelled)
        reduced = ReducedState(program.initialState)
        origin = (program.initialState, 0)
        self.step = 0
        self.skippedSteps = if let skippedSteps { skippedSteps } else { try reader.skippedSteps(of: stream) }
        try begin(atOrBefore: step, skipped)
    }

    /// The state after ``step``.
    var state: State { reduced.state }

    /// Returns a copy that begins again, with the newest readable snapshot at or before a step.
    func begun(atOrBefore step: Int) throws(JournalError) -> Fold {
        try changed(self) { fold throws(JournalError) in try fold.begin(atOrBefore: step) }
    }

    /// Returns a copy that continues from a known state.
    func begun(with state: State, at step: Int) -> Fold {
        changed(self) { $0.begin(with: state, at: step) }
    }

    /// Where ``begun(atOrBefore:)`` would begin, if the snapshot there can be read.
    func start(atOrBefore step: Int) throws(JournalError) -> Int {
        var limit = hypothesis.limit(step)
        while let mark = try reader.newestMark(of: stream, atOrBefore: limit) {
            if !mark.isDamaged { return mark.step }
            limit = mark.step - 1
        }
        return 0
    }

    private mutating func begin(
        atOrBefore end: Int, _ skipped: (JournalError) -> Void = { _ in }
    ) throws(JournalError) {
        let start = try startingPoint(atOrBefore: hypothesis.limit(end))
        for error in start.skipped { skipped(error) }
        begin(with: start.state ?? program.initialState, at: start.step)
    }

    private mutating func begin(with state: State, at step: Int) {
        reduced.replace(with: state)
        origin = (state, step)
        isSpoiled = false
        self.step = step
        chain = nil
        dropPages()
        ahead = Self.fewest
    }

    /// Keeps what was read with the steps of a page.
    @inline(never)
    private mutating func keep<Steps: ConsecutiveSteps>(_ page: StepPage<Steps>) {
        if let last = page.bases.last {
            // A base holds the state of the real history, so a hypothesis ignores the bases after its first change.
            let limit = hypothesis.limit(last)
            bases += page.bases.filter { $0 <= limit }
        }
        guard page.steps.hasProvisional else { return }
        cancelledSteps = cancelledSteps.filter { $0 > step }.union(page.cancelled).union(learned)
    }

    /// Whether it is known if the action of a step counts. If not, the fold has come to its end for now.
    @inline(__always)
    private mutating func isDecided(_ step: Int, _ isProvisional: Bool) throws(JournalError) -> Bool {
        if !isProvisional || step <= decidedStep { return true }
        return try isDecidedBy(now: step)
    }

    /// Reads again what has been decided.
    @inline(never)
    private mutating func isDecidedBy(now step: Int) throws(JournalError) -> Bool {
        try readDecisions()
        return step <= decidedStep
    }

    /// Learns what an open store knows and may not have recorded.
    mutating func learn(_ decisions: StepDecisions) throws(JournalError) {
        learned = decisions.cancelled
        cancelledSteps.formUnion(learned)
        try readDecisions()
        decidedStep = max(decidedStep, decisions.step)
    }

    /// Reads again which steps are skipped.
    ///
    /// - Returns: the first step of which that has changed.
    mutating func readSkips() throws(JournalError) -> Int? {
        let before = skippedSteps
        skippedSteps = try reader.skippedSteps(of: stream)
        return skippedSteps.symmetricDifference(before).min()
    }

    /// Reads what has been recorded since the steps were read ahead.
    private mutating func readDecisions() throws(JournalError) {
        let isOpen = page.hasProvisional || plainPage.hasProvisional || nextPage?.page.hasProvisional == true
        guard isOpen, let last = nextPage?.page.lastStep ?? plainPage.lastStep ?? page.lastStep else { return }
        let recorded = try reader.decisions(on: stream, in: step + 1...last)
        cancelledSteps.formUnion(recorded.cancelled)
        decidedStep = max(decidedStep, recorded.step)
    }

    private func startingPoint(atOrBefore step: Int) throws(JournalError) -> StartingPoint<State> {
        return try reader.startingPoint(of: stream, atOrBefore: step, crossingBases: crossingBases) { snapshot in
            try program.state(snapshot.state, version: snapshot.version, location.at(snapshot.step))
        }
    }

    /// Reduces the next step, and returns it with the state before it; nil if there is none yet.
    ///
    /// Costs more than ``next()``: it keeps a second state.
    mutating func nextWithBefore() throws(JournalError) -> (before: State, step: FoldedStep<Action, State>)? {
        reduced.keepPrevious()
        guard let (folded, base) = try reduceNext() else { return nil }
        let before = folded.reduction.isReduced ? reduced.previous : folded.after
        if let base { take(base) }
        return (before, folded)
    }

    /// Reduces the next step; nil if there is none yet.
    mutating func next() throws(JournalError) -> FoldedStep<Action, State>? {
        guard let (folded, base) = try reduceNext() else { return nil }
        if let base { take(base) }
        return folded
    }

    /// - Returns: the step, and the base of its step if there is one.
    private mutating func reduceNext() throws(JournalError) -> (step: FoldedStep<Action, State>, base: Base?)? {
        if page.isEmpty {
            let read = try reader.entryPage(in: stream, from: step + 1, limit: ahead)
            dropPages()
            keep(read)
            page = read.steps[...]
            if page.isEmpty, step < stream.headStep { throw noStep(step + 1) }
            ahead = min(ahead * 4, Self.most)
        }
        guard let entry = page.first, try isDecided(entry.step, entry.isProvisional) else { return nil }
        if chain == nil { try startChain() }
        let chain = try followed(entry.step, .body(of: entry), position: entry.position, entry.stamp)
        let base = bases.first == entry.step ? try readBase(at: entry.step) : nil
        let other = hypothesis.replaced[entry.step]
        let action: Action?
        let reduction: Reduction<Action>
        if isSkipped(entry.step) {
            // Its action is not decoded: it can be one that cannot be.
            action = other
            reduction = Reduction(outcome: .skipped)
            step = entry.step
        } else {
            let known = if let other { other } else { try program.action(of: entry, location) }
            action = known
            reduction = try reduce(known, at: entry.step, entry.stamp)
        }
        // Only now, so that a call after an error throws the same error again.
        page.removeFirst()
        self.chain = chain
        return (FoldedStep(entry: entry, action: action, after: state, reduction: reduction), base)
    }

    /// Reduces the next step for a caller that needs only the state.
    ///
    /// - Parameter end: the step that the caller is heading for, after ``step``.
    /// - Returns: false if there is no next step yet.
    mutating func pass(towards end: Int) throws(JournalError) -> Bool {
        if plainPage.isEmpty { try readPlainPage(towards: end) }
        guard let stored = plainPage.first, try isDecided(stored.number, stored.isProvisional) else { return false }
        // There are few.
        if bases.first == stored.number { return try next() != nil }
        if chain == nil { try startChain() }
        let chain = try followed(stored.number, stored.body, position: stored.position, stored.stamp)
        if isSkipped(stored.number) {
            // What is decoded ahead may end before this step. The rest of the page is decoded here.
            decoded = nil
            step = stored.number
        } else {
            let action = try action(of: stored)
            do throws(JournalError) { _ = try reduce(action, at: stored.number, stored.stamp) } catch {
                // The next call decodes the action again.
                decoded = nil
                throw error
            }
        }
        plainPage.removeFirst()
        self.chain = chain
        return true
    }

    /// Outlined: once for each page.
    @inline(never)
    private mutating func readPlainPage(towards end: Int) throws(JournalError) {
        let first = nextPage == nil ? try plainSteps(after: step, towards: end) : nil
        let read = nextPage?.page ?? first?.steps ?? StoredSteps()
        let next = try pageAhead(after: read.last?.number ?? end, towards: end)
        // Only now, so that a call after an error throws the same error again.
        if let first {
            dropPages()
            keep(first)
        }
        if let next { keep(next) }
        decoded = nextPage?.take()
        plainPage = read
        nextPage = next.map { DecodedAhead($0.steps, program.decodeStored) }
        ahead = Self.fewest
    }

    /// Reads a page for another thread to decode. It is read here, so that errors and the order of reads are the same
    /// each time.
    private func pageAhead(after last: Int, towards end: Int) throws(JournalError) -> StepPage<StoredSteps>? {
        guard last < end, !hypothesis.isReplacing else { return nil }
        let page = try plainSteps(after: last, towards: end)
        return page.steps.isEmpty ? nil : page
    }

    private func plainSteps(after step: Int, towards end: Int) throws(JournalError) -> StepPage<StoredSteps> {
        try reader.storedSteps(in: stream, from: step + 1, limit: min(end - step, Self.most))
    }

    private mutating func dropPages() {
        (page, plainPage, decoded, nextPage, bases) = ([], StoredSteps(), nil, nil, [])
    }

    /// The fewest and the most entries that are read at once.
    private static var fewest: Int { 4 }
    private static var most: Int { 512 }

    /// The chain after the next entry.
    @inline(__always)
    private func followed(
        _ step: Int, _ body: Digest, position: Int, _ stamp: Appended.Stamp
    ) throws(JournalError) -> ChainFollower? {
        var chain = chain
        do throws(ChainFollower.Break) {
            try chain?.follow(step, body, position: position, stamp)
        } catch {
            if case .missing(let missing, _) = error { try reader.checkWasNotPruned(missing, of: stream, asked: nil) }
            throw error.error(location)
        }
        return chain
    }

    /// Outlined: once for each beginning.
    @inline(never)
    private mutating func startChain() throws(JournalError) {
        chain = try reader.chain(of: stream, after: step)
    }

    @inline(__always)
    private mutating func action(of step: StoredStep) throws(JournalError) -> Action {
        // Taken out, so that what the state keeps of it has one owner.
        if decoded != nil {
            if isKnownUniquelyReferenced(&decoded), let decoded, !decoded.isEmpty { return decoded.take() }
            decoded = nil
        }
        if hypothesis.isReplacing { return try perhapsAnother(than: step) }
        return try plainPage.action(of: step, program, location)
    }

    // Outlined, like readBase(at:): keeps generic metadata lookups off the hot path.
    @inline(never)
    private func perhapsAnother(than step: StoredStep) throws(JournalError) -> Action {
        if let other = hypothesis.replaced[step.number] { return other }
        return try plainPage.action(of: step, program, location)
    }

    private var location: ErrorLocation { reader.location(stream.name) }

    @inline(__always)
    private mutating func reduce(
        _ action: Action, at number: Int, _ stamp: Appended.Stamp
    ) throws(JournalError) -> Reduction<Action> {
        if isSpoiled { try restore() }
        var reduction = reduced.reduce(action, at: number, stamp, in: stream, program)
        if reduction.isSpoiled {
            isSpoiled = true
            reduction = reduced.undo(
                reduction, to: try stateAgain(), action, at: number, stamp, in: stream, program)
            isSpoiled = false
        }
        step = number
        return reduction
    }

    /// Computes ``state`` again.
    @inline(never)
    private func stateAgain() throws(JournalError) -> State {
        var again = begun(with: origin.state, at: origin.step)
        try again.advance(to: step)
        return again.state
    }

    private mutating func restore() throws(JournalError) {
        reduced.replace(with: try stateAgain())
        isSpoiled = false
    }

    /// A base among the steps.
    private struct Base {
        /// nil if it is crossed.
        var state: State?
    }

    /// Reads the base of a step before that is reduced, so that a call after an error begins with the same step.
    @inline(never)
    private func readBase(at step: Int) throws(JournalError) -> Base {
        let base = try startingPoint(atOrBefore: step)
        if base.step == step, let truth = base.state { return Base(state: truth) }
        // If it is gone, a later base has taken its place.
        if !crossingBases { try reader.checkWasNotPruned(step, of: stream, asked: step) }
        return Base()
    }

    /// Continues with the state of the base at this step.
    @inline(never)
    private mutating func take(_ base: Base) {
        bases.removeFirst()
        guard let truth = base.state else { return }
        reduced.replace(with: truth)
        origin = (truth, step)
    }

    /// Whether a step among those that were read ahead is not reduced.
    private func isSkipped(_ step: Int) -> Bool {
        skippedSteps.contains(step) || hypothesis.skipped.contains(step) || cancelledSteps.contains(step)
    }

    /// Reduces all steps up to `end`.
    mutating func advance(to end: Int) throws(JournalError) {
        do throws(JournalError) {
            while step < end {
                guard try pass(towards: end) else { throw noStep(end) }
            }
        } catch {
            throw error.asked(for: end)
        }
    }

    /// Reduces all steps up to `end`.
    ///
    /// - Parameter visit: called with each step.
    mutating func advance(
        to end: Int, _ visit: (FoldedStep<Action, State>) throws(JournalError) -> Void
    ) throws(JournalError) {
        while step < end {
            guard let folded = try next() else { throw noStep(end) }
            try visit(folded)
        }
    }

    /// Why the fold does not reach a step.
    func noStep(_ end: Int) -> JournalError {
        if !page.isEmpty || !plainPage.isEmpty { return stream.undecided(step + 1, location) }
        if end <= stream.headStep {
            do throws(JournalError) { try reader.checkWasNotPruned(step + 1, of: stream, asked: end) } catch {
                return error
            }
            return location.at(step + 1).missingEntry
        }
        return location.at(end).endsBefore(step, advice: "Choose a step up to it.")
    }
}

extension JournalError {
    /// The same error; if it is that entries on the way to a step were pruned, it names that step.
    func asked(for step: Int) -> JournalError {
        guard code == .noUsableSnapshot, self.step == nil else { return self }
        return changed(self) { $0.step = step }
    }

    /// The same error of a fold that was to end before a step. It names that step, if the way to it was pruned or is too
    /// long.
    func asked(before step: Int, in stream: StreamInfo) -> JournalError {
        if code == .noUsableSnapshot, self.step == nil { return asked(for: step) }
        let isMissing = code == .noSuchStep || code == .noUsableSnapshot && step <= stream.prunedStep
        return isMissing && self.step == step - 1 ? changed(self) { $0.step = step } : self
    }
}
