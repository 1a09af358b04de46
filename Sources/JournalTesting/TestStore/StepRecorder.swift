import JournalStore

/// Records what a test store's machine does, until the test asserts it.
final class StepRecorder<Action: Sendable, State: Sendable>: Sendable {
    private struct Notices {
        var known: Set<Notice> = []
        var new: [Notice] = []
    }

    /// The steps that the test has not asserted, in order.
    let steps = Watched<[Transition<Action, State>]>([])
    private let notices = Lock(Notices())

    var observer: Observer<Action, State> {
        Observer { [steps] step in
            // The machine did not get the action of one that does not count.
            if !step.isSkipped { steps.change { $0.append(step) } }
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
}
