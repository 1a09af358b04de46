import JournalStore

/// What the world outside of the process has seen, and how far the script has come: what a kill does not take away.
struct Chronicle: Sendable {
    typealias Body = Journal.Options.CrashPoint.Body

    /// Of a run: the step that returned it, and its ordinal.
    struct Place: Hashable, Comparable, Sendable {
        let step: Int
        let ordinal: Int

        static func < (left: Place, right: Place) -> Bool {
            (left.step, left.ordinal) < (right.step, right.ordinal)
        }
    }

    struct Start: Hashable, Sendable {
        let body: Body
        /// In which opening of the journal.
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
    /// The part of the script that was under way.
    var position = 0
    var starts: [Start] = []
    var requests: [Request: Answered] = [:]
    /// Runs that may run once at the most, and were under way at a cut.
    var interrupted: [Place: EffectRun] = [:]
    /// What must not be, whatever the machine is.
    var faults: [String] = []

    mutating func started(_ body: Body) {
        let start = Start(body: body, opening: opening)
        for other in starts where other.body.idempotencyKey == body.idempotencyKey {
            if !other.isSameRun(as: body) {
                faults.append("\(body.run) and \(other.body.run) showed the same idempotency key.")
            } else if other == start {
                faults.append("\(body.run) was started twice for its attempt \(body.attempt).")
            } else if other.opening != opening, body.startsOnce {
                faults.append("\(body.run) was started again after a restart, though its policy is '\(body.restart)'.")
            }
        }
        if starts.contains(where: { $0.isSameRun(as: body) && $0.body.idempotencyKey != body.idempotencyKey }) {
            faults.append("\(body.run) showed another idempotency key than before.")
        }
        starts.append(start)
    }

    /// How many different keys were answered, by the names of the requests.
    var answered: [String: Int] {
        requests.filter { $0.value.answer != nil }.reduce(into: [:]) { $0[$1.key.name, default: 0] += 1 }
    }

    /// All of it that matters for what follows, in one order.
    var lines: [String] {
        // How often a body was started that may start often is nobody's business.
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
    /// Whether it may run once at the most.
    fileprivate var startsOnce: Bool { restart != "resume" }

    /// Which effect it is.
    var run: String { "'\(name)' (step \(step), effect \(ordinal))" }
}
