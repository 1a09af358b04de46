import JournalStore

/// Asks the machine in the background: computing a state can take long, and the keys must keep working.
///
/// It answers one question at a time. A new question replaces the one that waits.
final class WalkWorker: Sendable {
    private struct Question {
        var step: Int
        var pane: WalkPane
    }

    private struct Desk {
        var question: Question?
        var answer: WalkAnswer?
        var isBusy = false
    }

    private let states: any WalkStates
    private let wake: @Sendable () -> Void
    private let desk = Lock(Desk())

    /// - Parameter wake: Called when an answer is ready.
    init(states: any WalkStates, wake: @escaping @Sendable () -> Void) {
        self.states = states
        self.wake = wake
    }

    func ask(_ step: Int, _ pane: WalkPane) {
        let isIdle = desk.withLock { desk in
            desk.question = Question(step: step, pane: pane)
            desk.answer = nil
            defer { desk.isBusy = true }
            return !desk.isBusy
        }
        if isIdle { Task.detached { self.work() } }
    }

    /// Returns the answer, and removes it.
    func answer() -> WalkAnswer? {
        desk.withLock { desk in
            defer { desk.answer = nil }
            return desk.answer
        }
    }

    private func work() {
        while let question = nextQuestion() {
            let answer = WalkAnswer(step: question.step, pane: question.pane, content: content(question))
            desk.withLock { $0.answer = answer }
            wake()
        }
    }

    private func nextQuestion() -> Question? {
        desk.withLock { desk in
            defer { desk.question = nil }
            desk.isBusy = desk.question != nil
            return desk.question
        }
    }

    private func content(_ question: Question) -> WalkAnswer.Content {
        do {
            return question.pane == .changes
                ? .changes(try states.changes(at: question.step)) : .state(try states.state(at: question.step))
        } catch {
            return .failure("\(error)")
        }
    }
}
