import JournalStore

/// What survives a kill outside of the journal: what the outside has seen, and the progress of the script.
struct Chronicle: Sendable {
    typealias Body = Journal.Options.CrashPoint.Body

    /// Identifies a run: the step that returned it, and its ordinal.
    struct Place: Hashable, Comparable, Sendable {
        let step: Int
        let ordinal: Int

        static func < (left: Place, right: Place) -> Bool {
            (left.step, left.ordinal) < (right.step, right.ordinal)
        }
    }

    struct Start: Hashable, Sendable {
        let body: Body
        /// The number of the journal's opening.
        let opening: Int
    }

    struct Request: Hashable, Sendable {
        let name: String
        let key: String
    }

    struct Answered: Sendable {
        var times = 0
        var answer: (any Sendable)?
    }

    var opening = 0
    /// The index of the current part of the script.
    var position = 0
    var starts: [Start] = []
    var requests: [Request: Answered] = [:]
    /// The runs that may start at most once and were under way at a cut.
    var interrupted: [Place: EffectRun] = [:]
    /// Violations of the rules for every machine.
    var faults: [String] = []

    mutating func started(_ body: Body) {
        let start = Start(body: body, opening: opening)
        for other in starts where other.body.idempotencyKey == body.idempotencyKey {
            if !other.isSameRun(as: body) {
                faults.append("\(body.run) and \(other.body.run) have the same idempotency key.")
            } else if other == start {
                faults.append("\(body.run) was started twice for attempt \(body.attempt).")
            } else if other.opening != opening, body.startsOnce {
                faults.append("\(body.run) was started again after a restart, though its policy is '\(body.restart)'.")
            }
        }
        if starts.contains(where: { $0.isSameRun(as: body) && $0.body.idempotencyKey != body.idempotencyKey }) {
            faults.append("\(body.run) has a different idempotency key than before.")
        }
        starts.append(start)
    }

    mutating func requestedInReplay(_ name: String) {
        isAtFault("A replay made the request '\(name)': the reducer makes it, and not the body of an effect.")
    }

    /// Notes a fault that can occur again and again.
    mutating func isAtFault(_ fault: String) {
        if !faults.contains(fault) { faults.append(fault) }
    }

    /// How many different keys were answered, by the name of the request.
    var answered: [String: Int] {
        requests.filter { $0.value.answer != nil }.reduce(into: [:]) { $0[$1.key.name, default: 0] += 1 }
    }

    /// All content that affects what follows, in a fixed order.
    var lines: [String] {
        // Each run once: it does not matter how often a body was started that may start again.
        let starts = Set(self.starts.map { "\($0.body.run)|\($0.body.idempotencyKey)" })
        let requests = self.requests.map { "\($0.key.name)|\($0.key.key)|\($0.value.times)|\($0.value.answer ?? "")" }
        let interrupted = self.interrupted.keys.sorted().map { "\($0.step)|\($0.ordinal)" }
        return ["\(position)"] + starts.sorted() + requests.sorted() + interrupted + faults
    }
}

extension EffectRun {
    var place: Chronicle.Place { Chronicle.Place(step: step, ordinal: ordinal) }
}

extension Chronicle.Start {
    fileprivate func isSameRun(as other: Chronicle.Body) -> Bool {
        body.stream == other.stream && body.step == other.step && body.ordinal == other.ordinal
    }
}

extension Chronicle.Body {
    var place: Chronicle.Place { Chronicle.Place(step: step, ordinal: ordinal) }

    /// Whether it may start at most once.
    fileprivate var startsOnce: Bool { restart != "resume" }

    /// The run's name, step and ordinal, for messages.
    var run: String { "'\(name)' (step \(step), effect \(ordinal))" }
}
