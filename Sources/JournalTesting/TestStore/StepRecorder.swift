import JournalStore

/// Records what a test store's machine does, until the test asserts it.
final class StepRecorder<Action: Sendable, State: Sendable>: Sendable {
    typealias Body = Journal.Options.CrashPoint.Body

    /// What moves while effects run.
    struct Activity: Sendable {
        /// The bodies that run.
        var bodies: Set<Body> = []
        /// Counts what can be the end of an effect: a commit, or the end of a body.
        var changes = 0
    }

    private struct Notices {
        var known: Set<Notice> = []
        var new: [Notice] = []
    }

    /// The steps that the test has not asserted, in order.
    let steps = Watched<[Transition<Action, State>]>([])
    let activity = Watched(Activity())
    private let notices = Lock(Notices())

    var observer: Observer<Action, State> {
        Observer { [steps] step in steps.change { $0.append(step) } }
    }

    /// Called by the library at each crash point.
    func noticed(_ point: Journal.Options.CrashPoint) {
        activity.change { activity in
            activity.changes += 1
            switch point {
            case .committed: break
            case .started(let body): activity.bodies.insert(body)
            case .ended(let body): activity.bodies.remove(body)
            }
        }
    }

    func report(_ notice: Notice) {
        notices.withLock { notices in
            // Some are repeated at each attempt.
            if notices.known.insert(notice).inserted { notices.new.append(notice) }
        }
    }

    /// The notices since the last call.
    func takeNotices() -> [Notice] {
        notices.withLock { notices in
            defer { notices.new = [] }
            return notices.new
        }
    }

    /// Removes a step.
    func take(_ number: Int) -> Transition<Action, State>? {
        steps.change { steps in steps.firstIndex { $0.step == number }.map { steps.remove(at: $0) } }
    }

    /// Removes a step and those before it.
    func drop(through number: Int) {
        steps.change { steps in steps.removeAll { $0.step <= number } }
    }

    func dropAll() {
        steps.change { $0 = [] }
    }

    /// Forgets the bodies that a restart has fenced.
    func restarted() {
        activity.change { $0.bodies = [] }
    }
}
