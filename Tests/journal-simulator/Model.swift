import JournalStore

/// The contract as plain values: what a life has been told, and which answers, rows and events that allows.
///
/// It knows nothing of SQLite, of transactions or of tasks. Each function takes one observation and returns what is
/// wrong with it.
struct Model {
    /// A dispatched action and what its caller knows.
    struct Dispatch {
        var act: Act
        var stream: String
        var dispatchID: String?
        /// The newest acknowledged step of its stream when it was called: it gets a later one.
        var after: Int
        /// The step that the caller was told.
        var step: Int?
        /// Refused: it must never appear.
        var isRefused = false
    }

    struct Entry {
        var act: Act
        var origin: Origin
        var time: Timestamp
        var isAccepted = true
    }

    struct Run {
        var spec: Spec
        var stream: String
        var step: Int
        /// The openings after which its body began.
        var openings: Set<Int> = []
        var key: String?
        /// The newest committed status that anybody has seen.
        var status: EffectRun.Status?
        /// When its step was committed.
        var time = Timestamp(microseconds: 0)
        /// Its actions in the journal.
        var actions = 0
        /// The action of its restart policy is in the journal.
        var wasReplaced = false
        /// Somebody was told that it is cancelled.
        var isCancelled = false
        /// Something that may cancel it was asked for.
        var mayBeCancelled = false
        /// Its step returned: a remembered result.
        var remembered: Int?
        /// The newest attempt, and the opening it followed.
        var attempt: (opening: Int, number: Int)?
        /// An operator started it again after its end.
        var wasRetried = false
    }

    struct Stream {
        var entries: [Entry] = []
        /// The fold after each entry; the first is the initial state.
        var scores = [Score()]
        /// The newest step that somebody was told.
        var acknowledged = 0
        /// What reducers were given at each step that is not checked yet.
        var pending: [Int: Reduction] = [:]
    }

    struct Reduction: Equatable {
        var name: String
        var count: Int
        var digest: UInt64
        var time: Timestamp
    }

    private(set) var dispatches: [String: Dispatch] = [:]
    private(set) var streams: [String: Stream] = [:]
    private(set) var runs = Dictionary(
        uniqueKeysWithValues: Game.streams.map {
            (place($0, 0, Game.initial.name), Run(spec: Game.initial, stream: $0, step: 0))
        })
    private var keys: [String: String] = [:]
    private var luck: [String: UInt64] = [:]
    /// Where each random number was drawn.
    private var drawn: [UInt64: String] = [:]
    /// The actions that had a dispatch ID first, by stream and ID.
    private var dispatchIDs: [String: String] = [:]
    /// The steps at which a reducer cancelled an ID, by stream and ID.
    private var cancelSteps: [String: [Int]] = [:]
    /// The roots, by stream, whose effects somebody cancelled.
    private var cancelledRoots: [String: Set<Int>] = [:]
    /// The messages that have arrived, by the place of their sender.
    private var told: Set<String> = []
    /// IDs that somebody may have cancelled.
    private var cancelledIDs: Set<String> = []
    /// The kinds of rules that a queue has had.
    private var rules: [String: Set<Lane.Kind>] = [:]
    private var limits: [String: Int] = [:]

    /// Whether operations of the file system can fail in this life.
    var mayFail = false
    /// Whether somebody sets the wall clock: then nobody can say when something is due.
    var mayJump = false
    /// Whether bodies begin at once when their runs are started.
    var isPunctual = false
    /// The delays that a queue has had.
    private var delays: [String: Set<Int>] = [:]
    /// When the queue of a stream last started a run.
    private var lastStarts: [String: Timestamp] = [:]
    /// Whether a crash loop has held runs back: one that waits in a slot for that looks like one in the line.
    var mayHold = false

    // MARK: Dispatching

    mutating func dispatched(_ act: Act, to stream: String, id: String?) {
        dispatches[act.name] = Dispatch(
            act: act, stream: stream, dispatchID: id, after: streams[stream]?.acknowledged ?? 0)
        note(act.ops)
    }

    /// The same dispatch is tried once more: it may be appended now.
    mutating func dispatchedAgain(_ name: String) { dispatches[name]?.isRefused = false }

    /// A queue can have the rule of an effect that is not committed yet, in no order that a caller could know.
    private mutating func note(_ ops: [Op]) {
        for op in ops {
            switch op {
            case .start(let spec):
                if let lane = spec.lane { note(lane) }
                note(spec.then)
            case .update(let lane): note(lane)
            case .next(let act): note(act.ops)
            case .cancel(let id): cancelledIDs.insert(id)
            case .reject, .tell, .tick: break
            }
        }
    }

    private mutating func note(_ lane: Lane) {
        rules[lane.name, default: []].insert(lane.kind)
        delays[lane.name, default: []].insert(lane.delay)
        limits[lane.name] = max(limits[lane.name] ?? 0, lane.limit)
    }

    /// The caller of a dispatch got its step.
    mutating func answered(_ name: String, step: Int, isRepeat: Bool) -> String? {
        guard var dispatch = dispatches[name] else { return "an answer for \(name), which nobody dispatched" }
        let first = dispatch.dispatchID.flatMap { dispatchIDs["\(dispatch.stream) \($0)"] }
        if isRepeat {
            guard let first, let known = dispatches[first] else {
                // The first one may have been committed without an answer.
                return dispatch.dispatchID == nil ? "\(name) has no dispatch ID and was answered as a repeat" : nil
            }
            if let told = known.step, told != step { return "\(name) repeats \(first), step \(told), and got \(step)" }
            return nil
        }
        if let first, first != name, let told = dispatches[first]?.step {
            return "\(name) was appended as step \(step), and \(first) has its dispatch ID and is step \(told)"
        }
        if let known = dispatch.step, known != step {
            return "\(name) was appended as step \(step), and as step \(known) before"
        }
        if step <= dispatch.after { return "\(name) got step \(step), and step \(dispatch.after) was answered before" }
        dispatch.step = step
        dispatches[name] = dispatch
        if let id = dispatch.dispatchID { dispatchIDs["\(dispatch.stream) \(id)"] = name }
        streams[dispatch.stream, default: Stream()].acknowledged = max(
            streams[dispatch.stream]?.acknowledged ?? 0, step)
        return nil
    }

    /// The caller of a dispatch was told that nothing was appended.
    mutating func refused(_ name: String) { dispatches[name]?.isRefused = true }

    // MARK: Reducing

    /// A reducer was called, live or in a replay.
    mutating func reduced(
        _ act: Act, stream: String, step: Int, substep: Int, time: Timestamp, luck number: UInt64, from score: Score
    ) -> String? {
        let place = "\(stream)/\(step)/\(substep)"
        if let known = luck[place], known != number { return "\(place) drew \(number), and \(known) before" }
        if let other = drawn[number], other != place { return "\(place) and \(other) drew the same number" }
        (luck[place], drawn[number]) = (number, place)
        guard substep == 0 else { return nil }
        let reduction = Reduction(name: act.name, count: score.count, digest: score.digest, time: time)
        if step < streams[stream]?.scores.count ?? 0 { return check(reduction, stream, step) }
        if let known = streams[stream]?.pending[step], known != reduction {
            return "step \(step) of \(stream) was reduced as \(reduction), and as \(known) before"
        }
        streams[stream, default: Stream()].pending[step] = reduction
        return nil
    }

    private func check(_ reduction: Reduction, _ stream: String, _ step: Int) -> String? {
        guard let known = streams[stream], step <= known.entries.count else { return nil }
        let (entry, before) = (known.entries[step - 1], known.scores[step - 1])
        guard reduction.name == entry.act.name else {
            return "step \(step) of \(stream) is \(entry.act.name), and the reducer got \(reduction.name)"
        }
        guard reduction.time == entry.time else {
            return "step \(step) of \(stream) was committed at \(entry.time), and the reducer got \(reduction.time)"
        }
        guard reduction.count == before.count, reduction.digest == before.digest else {
            return "step \(step) of \(stream) was reduced from \(reduction), not from \(before)"
        }
        return nil
    }

    // MARK: Effects

    /// A reducer returned an effect.
    mutating func planned(_ spec: Spec, stream: String, step: Int, time: Timestamp) {
        let place = place(stream, step, spec.name)
        if runs[place] == nil {
            runs[place] = Run(spec: spec, stream: stream, step: step, time: time)
        }
        if let lane = spec.lane { note(lane) }
    }

    /// A body began.
    mutating func started(_ place: String, key: String, attempt: Int, opening: Int, now: Timestamp) -> String? {
        guard var run = runs[place] else { return "\(place) began, and no reducer has returned it" }
        if let known = keys[key], known != place { return "\(place) and \(known) have the same idempotency key" }
        if let known = run.key, known != key { return "\(place) has another idempotency key than before" }
        if run.isCancelled { return "\(place) began after its cancellation was acknowledged" }
        if let status = run.status, status.isFinal, !run.wasRetried {
            return "\(place) began, and it had ended: \(status)"
        }
        if run.spec.restart != .resume, !run.wasRetried, run.openings.contains(where: { $0 != opening }) {
            return "\(place) began again after a restart, and its policy is '\(run.spec.restart)'"
        }
        if !run.wasRetried, !mayJump, now < run.due(0) { return "\(place) began at \(now), before its delay was over" }
        // Only the first attempt can be forgotten if the process dies.
        if let last = run.attempt, last.opening == opening || last.number > 1, attempt <= last.number {
            return "\(place) began as attempt \(attempt) after attempt \(last.number)"
        }
        if attempt == 1, run.openings.isEmpty, let problem = checkPause(of: run, place, now) { return problem }
        run.attempt = (opening, attempt)
        run.openings.insert(opening)
        run.key = key
        keys[key] = place
        runs[place] = run
        return nil
    }

    /// A queue with a delay starts one run after the other.
    private mutating func checkPause(of run: Run, _ place: String, _ now: Timestamp) -> String? {
        guard isPunctual, let lane = run.spec.lane, let delay = delays[lane.name]?.max(), delay > 0,
            delays[lane.name]?.count == 1
        else { return nil }
        let last = lastStarts.updateValue(now, forKey: "\(run.stream) \(lane.name)")
        guard let last, now.microseconds < last.microseconds + Int64(delay) * 1_000_000 - 500_000 else { return nil }
        return "\(place) began at \(now), and the queue \(lane.name) started another run at \(last)"
    }

    /// The body of a remembered step ran.
    func drew(_ place: String) -> String? {
        runs[place]?.remembered == nil ? nil : "\(place) ran a step again whose result was remembered"
    }

    /// A remembered step returned its result.
    mutating func remembered(_ place: String, _ value: Int) -> String? {
        if let known = runs[place]?.remembered, known != value {
            return "\(place) got \(value) from a step that had returned \(known)"
        }
        runs[place]?.remembered = value
        return nil
    }

    /// The most bodies of a queue that may run at once.
    func limit(of lane: String) -> Int? {
        limits[lane]
    }

    /// Somebody asks for a cancellation.
    mutating func cancels(id: String) { cancelledIDs.insert(id) }

    mutating func cancels(_ places: [String]) {
        for place in places { runs[place]?.mayBeCancelled = true }
    }

    /// Somebody asks for the cancellation of all that follows from a step.
    mutating func cancels(root: Int, of stream: String) { cancelledRoots[stream, default: []].insert(root) }

    /// A cancellation of these runs was acknowledged.
    mutating func cancelled(_ places: [String]) {
        for place in places { runs[place]?.isCancelled = true }
    }

    mutating func retried(_ place: String) {
        runs[place]?.wasRetried = true
        runs[place]?.isCancelled = false
        runs[place]?.status = nil
    }

    // MARK: What is in the journal

    /// How many entries of a stream are known.
    func head(of stream: String) -> Int { streams[stream]?.entries.count ?? 0 }

    func score(of stream: String) -> Score { streams[stream]?.scores.last ?? Score() }

    /// The entries that follow the known ones were read.
    mutating func read(_ rows: [(act: Act, row: JournalStore.Entry)], of name: String) -> String? {
        for (act, row) in rows {
            var stream = streams[name] ?? Stream()
            guard row.step == stream.entries.count + 1 else {
                return "step \(row.step) of \(name) follows step \(stream.entries.count)"
            }
            if let problem = checkOrigin(of: act, row, name) { return problem }
            var entry = Entry(act: act, origin: row.origin, time: row.time)
            var score = stream.scores.last ?? Score()
            entry.isAccepted = Model.apply(act, &score)
            if entry.isAccepted {
                for id in Model.cancels(of: act) { cancelSteps["\(name) \(id)", default: []].append(row.step) }
            }
            stream.entries.append(entry)
            stream.scores.append(score)
            let reduction = stream.pending.removeValue(forKey: row.step)
            streams[name] = stream
            note(act.ops)
            if let reduction, let problem = check(reduction, name, row.step) { return problem }
        }
        return nil
    }

    private mutating func checkOrigin(of act: Act, _ row: JournalStore.Entry, _ stream: String) -> String? {
        let what = "step \(row.step) of \(stream), \(act.name)"
        if row.origin == .dispatched {
            guard let dispatch = dispatches[act.name] else { return "\(what): nobody dispatched it" }
            if dispatch.isRefused { return "\(what): its caller was told that nothing was appended" }
            if dispatch.act != act { return "\(what): it was dispatched as \(dispatch.act) and is \(act)" }
            if dispatch.stream != stream { return "\(what): it was dispatched to \(dispatch.stream)" }
            if let step = dispatch.step, step != row.step { return "\(what): its caller was told step \(step)" }
            if let id = dispatch.dispatchID {
                if let first = dispatchIDs["\(stream) \(id)"], first != act.name {
                    return "\(what): \(first) has the same dispatch ID"
                }
                dispatchIDs["\(stream) \(id)"] = act.name
            }
            dispatches[act.name]?.step = row.step
            return nil
        }
        guard let slash = act.name.lastIndex(of: "/") else { return "\(what): a \(row.origin) has no such name" }
        let (place, event) = (String(act.name[..<slash]), String(act.name[act.name.index(after: slash)...]))
        if row.origin == .machine { return checkMessage(from: place, event, row, what) }
        guard var run = runs[place] else { return "\(what): no reducer has returned its effect" }
        if run.stream != stream || run.step != row.causeStep {
            return "\(what): its cause is step \(row.causeStep ?? 0) of \(stream)"
        }
        if run.isCancelled, event != "restarted" { return "\(what): its run's cancellation was acknowledged before" }
        if let status = run.status, status.isFinal, !run.wasRetried {
            return "\(what): its run had ended before: \(status)"
        }
        // A timer that repeats has its place as its ID.
        if let id = run.spec.id, run.spec.kind != .every, !run.wasRetried, event != "restarted",
            let step = cancelSteps["\(stream) \(id)"]?.first(where: { $0 > run.step && $0 < row.step })
        {
            return "\(what): step \(step) has cancelled its run"
        }
        if run.spec.isTimer, !run.wasRetried, !mayJump, row.time < run.due(run.actions) {
            return "\(what): it came before it was due"
        }
        switch event {
        case "tick":
            if run.spec.kind != .every { return "\(what): its effect is no timer" }
        case "failed":
            if !run.spec.reportsFailure { return "\(what): its effect reports no failure" }
        case "restarted":
            if run.spec.restart != .dispatch { return "\(what): its effect has no such policy" }
            run.wasReplaced = true
        default:
            if Int(event) != run.actions, !run.wasRetried {
                return "\(what): it is number \(event) of its run, and \(run.actions) are there"
            }
        }
        run.actions += 1
        runs[place] = run
        return nil
    }

    private mutating func checkMessage(
        from name: String, _ event: String, _ row: JournalStore.Entry, _ what: String
    ) -> String? {
        guard event == "told", let sender = row.causeStream, let step = row.causeStep else {
            return "\(what): no message"
        }
        let entries = streams[sender]?.entries ?? []
        guard step >= 1, step <= entries.count, entries[step - 1].tells, entries[step - 1].isAccepted,
            entries[step - 1].act.name == name
        else { return "\(what): step \(step) of \(sender) has not sent it" }
        return told.insert("\(sender)/\(step)").inserted ? nil : "\(what): it arrived before"
    }

    /// Reduces an action with its cascade.
    ///
    /// - Returns: whether it was accepted.
    private static func apply(_ act: Act, _ score: inout Score) -> Bool {
        var new = score
        new.add(act)
        for op in act.ops {
            switch op {
            case .reject: return false
            case .tick(let place, let last): _ = new.tick(place, last: last)
            case .next, .start, .cancel, .update, .tell: break
            }
        }
        for case .next(let child) in act.ops { _ = apply(child, &new) }
        score = new
        return true
    }

    /// The records of a stream's runs were read.
    mutating func read(_ rows: [EffectRun], of name: String) -> String? {
        for row in rows {
            let place = place(name, row.step, row.name)
            guard var run = runs[place] else {
                let isMessage =
                    streams[name].map { row.step <= $0.entries.count && $0.entries[row.step - 1].tells } ?? true
                if isMessage { continue }
                return "\(place): no reducer has returned this run"
            }
            if let known = run.status, known.isFinal, known != row.status, !run.wasRetried {
                return "\(place): it is \(row.status), and was \(known)"
            }
            if run.isCancelled, !row.status.isFinal {
                return "\(place): it is \(row.status), and its cancellation was acknowledged"
            }
            run.status = row.status
            runs[place] = run
            if let problem = check(run, row, place) ?? checkRecord(of: run, row, place) { return problem }
        }
        return checkOrder(rows, name)
    }

    private func checkRecord(of run: Run, _ row: EffectRun, _ place: String) -> String? {
        if run.wasRetried { return nil }
        if row.failures > 0, row.failures >= run.spec.attempts {
            return "\(place): \(row.failures) failures were to be retried, and it has \(run.spec.attempts) attempts"
        }
        if run.spec.isTimer, !mayJump, row.status == .delayed, row.notBefore != run.due(row.delivered) {
            return
                "\(place): it is due at \(run.due(row.delivered)), and waits for \(row.notBefore, default: "nothing")"
        }
        return nil
    }

    /// A queue is first in, first out: nothing has begun that came after a run in the line.
    private func checkOrder(_ rows: [EffectRun], _ name: String) -> String? {
        if mayHold { return nil }
        var waiting: [String: String] = [:]
        for row in rows.sorted(by: { $0.key < $1.key }) {
            let place = place(name, row.step, row.name)
            guard let run = runs[place], let lane = run.spec.lane, !run.wasRetried else { continue }
            if row.status == .waiting, row.attempts == 0 {
                waiting[lane.name] = waiting[lane.name] ?? place
            } else if row.attempts > 0, let first = waiting[lane.name] {
                return "\(place) has begun, and \(first) waits before it in the queue \(lane.name)"
            }
        }
        return nil
    }

    private func check(_ run: Run, _ row: EffectRun, _ place: String) -> String? {
        let spec = run.spec
        switch row.status {
        case .waiting, .delayed, .running: return nil
        case .asked:
            // Two effects of a step that look alike are asked about, and so are handlers that are missing: there are none.
            return spec.restart == .ask ? nil : "\(place): it is asked about, and its policy is '\(spec.restart)'"
        case .parked: return nil
        case .orphaned: return "\(place): it is orphaned, and the code returns it"
        case .cancelled:
            let isAsked =
                run.mayBeCancelled || run.isCancelled || cancelledIDs.contains(spec.id ?? "") || spec.kind == .every
            let isOfRoot = cancelledRoots[run.stream]?.contains(row.rootStep) == true
            let isPolicy = spec.restart == .cancel || run.wasReplaced
            return isAsked || isOfRoot || isPolicy ? nil : "\(place): nobody has cancelled it"
        case .evicted:
            return spec.lane.flatMap { rules[$0.name] }?.contains(.newest) == true
                ? nil : "\(place): it was evicted, and no rule of its queue does that"
        case .discarded:
            if !run.openings.isEmpty, !run.wasRetried { return "\(place): it was discarded, and its body began" }
            return spec.lane.flatMap { rules[$0.name] }?.contains(.discarding) == true
                ? nil : "\(place): it was discarded, and no rule of its queue does that"
        case .failed:
            // A step that cannot read what it remembers throws.
            let isDisk = mayFail && row.error?.contains("The disk failed") == true
            return spec.throwsTooOften || isDisk || run.wasRetried && spec.failures > 0
                ? nil : "\(place): it failed, and its body throws \(spec.failures) times: \(row.error ?? "")"
        case .completed: return nil
        }
    }

    // MARK: The end

    /// Nothing is under way any more, and all entries and records were read.
    func ended(pruned: [String: Int]) -> String? {
        for (name, stream) in streams.sorted(by: { $0.key < $1.key }) {
            if let step = stream.pending.keys.min() {
                return "step \(step) of \(name) was reduced and is not in the journal"
            }
            if stream.acknowledged > stream.entries.count {
                return "step \(stream.acknowledged) of \(name) was acknowledged and is not in the journal"
            }
            let initial = place(name, 0, Game.initial.name)
            if runs[initial]?.status?.isFinal != true { return "\(initial): the effect was lost, or never ends" }
            for (index, entry) in stream.entries.enumerated() where entry.isAccepted && entry.tells && !mayFail {
                if !told.contains("\(name)/\(index + 1)") {
                    return "the message of \(entry.act.name) was lost"
                }
            }
            for (index, entry) in stream.entries.enumerated() where entry.isAccepted && index >= pruned[name] ?? 0 {
                for spec in Model.specs(of: entry.act) where spec.kind != .ephemeral {
                    guard let run = runs[place(name, index + 1, spec.name)], let status = run.status else {
                        return "\(place(name, index + 1, spec.name)): the effect was lost"
                    }
                    guard status.isFinal else {
                        return "\(place(name, index + 1, spec.name)): it never ends (\(status))"
                    }
                    if let problem = checkActions(of: run, status, place(name, index + 1, spec.name)) { return problem }
                }
            }
        }
        return nil
    }

    private func checkActions(of run: Run, _ status: EffectRun.Status, _ place: String) -> String? {
        if run.wasRetried { return nil }
        let spec = run.spec
        let what = "\(place) (\(spec.kind), \(status)) has sent \(run.actions) actions"
        switch (spec.kind, status) {
        case (.fire, .completed): return run.actions == 0 ? nil : what
        case (.stream, .completed), (.sequence, .completed): return run.actions == spec.count ? nil : what
        case (.run, .completed), (.described, .completed), (.after, .completed), (.at, .completed):
            return run.actions == 1 ? nil : what
        case (.every, .cancelled): return run.actions <= spec.count ? nil : what
        case (_, .failed): return run.actions == (spec.reportsFailure ? 1 : 0) || spec.count > 1 ? nil : what
        case (_, .discarded): return run.actions == 0 ? nil : what
        default: return nil
        }
    }

    /// The IDs that an action cancels, with its cascade.
    private static func cancels(of act: Act) -> [String] {
        if act.ops.contains(.reject) { return [] }
        return act.ops.flatMap { op -> [String] in
            switch op {
            case .cancel(let id): [id]
            case .next(let child): cancels(of: child)
            default: []
            }
        }
    }

    /// The effects of an action, with its cascade.
    private static func specs(of act: Act) -> [Spec] {
        if act.ops.contains(.reject) { return [] }
        return act.ops.flatMap { op -> [Spec] in
            switch op {
            case .start(let spec): [spec]
            case .next(let child): specs(of: child)
            default: []
            }
        }
    }
}

extension Model.Run {
    /// When a body may begin, or when a timer's action with this index may come.
    func due(_ index: Int) -> Timestamp {
        let seconds = spec.kind == .every ? (spec.delay + 1) * (index + 1) : spec.delay
        return Timestamp(microseconds: time.microseconds + Int64(seconds) * 1_000_000)
    }
}

extension Model.Entry {
    var tells: Bool { act.ops.contains(.tell) }
}
