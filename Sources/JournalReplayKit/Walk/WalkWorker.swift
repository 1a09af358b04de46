import Dispatch
import JournalStore

/// Asks the machine in the background: computing a state can take long, and the keys must keep working.
///
/// It answers one question at a time. A new question replaces the one that waits.
final class WalkWorker: Sendable {
    private struct Question {
        var step: Int
        var pane: WalkPane
    }

    /// The result of searching a page.
    struct Found: Sendable {
        var search: WalkSearch
        var result: Result<WalkSearch.Result, JournalError>
    }

    private enum Job {
        case answer(Question)
        case search(WalkSearch)
    }

    private struct Desk {
        var question: Question?
        var search: WalkSearch?
        var answer: WalkAnswer?
        var found: Found?
        var isBusy = false
    }

    private let states: any WalkStates
    private let tool: ToolName
    private let note: @Sendable (_ step: Int, _ pane: WalkPane) -> String?
    private let searchPage: @Sendable (WalkSearch) throws(JournalError) -> WalkSearch.Result
    private let wake: @Sendable () -> Void
    private let desk = Lock(Desk())
    /// A state can come from another process, and a thread that waits must not be one of the few that all tasks share.
    private let queue = DispatchQueue(label: "journal-replay.walk")

    /// - Parameters:
    ///   - note: What to tell beside the state or the changes of a step.
    ///   - search: Searches one page.
    ///   - wake: Called when an answer is ready.
    init(
        states: any WalkStates, tool: ToolName = .standard,
        note: @escaping @Sendable (_ step: Int, _ pane: WalkPane) -> String? = { _, _ in nil },
        search: @escaping @Sendable (WalkSearch) throws(JournalError) -> WalkSearch.Result = { _ in .end() },
        wake: @escaping @Sendable () -> Void
    ) {
        self.states = states
        self.tool = tool
        self.note = note
        searchPage = search
        self.wake = wake
    }

    func ask(_ step: Int, _ pane: WalkPane) {
        put { desk in
            desk.question = Question(step: step, pane: pane)
            desk.answer = nil
        }
    }

    /// Searches one page. Another search replaces it, also if it is under way.
    func search(_ search: WalkSearch) {
        put { desk in
            desk.search = search
            desk.found = nil
        }
    }

    private func put(_ change: (inout Desk) -> Void) {
        let isIdle = desk.withLock { desk in
            change(&desk)
            defer { desk.isBusy = true }
            return !desk.isBusy
        }
        if isIdle { queue.async { CrashSignals.withStackForSignals { self.work() } } }
    }

    /// Returns the result of a search, and removes it.
    func found() -> Found? {
        desk.withLock { desk in
            defer { desk.found = nil }
            return desk.found
        }
    }

    /// Returns the answer, and removes it.
    func answer() -> WalkAnswer? {
        desk.withLock { desk in
            defer { desk.answer = nil }
            return desk.answer
        }
    }

    private func work() {
        while let job = nextJob() {
            switch job {
            case .answer(let question):
                var answer = WalkAnswer(step: question.step, pane: question.pane, content: content(question))
                answer.note = note(question.step, question.pane)
                desk.withLock { $0.answer = answer }
            case .search(let search):
                let result: Result<WalkSearch.Result, JournalError>
                do throws(JournalError) { result = .success(try searchPage(search)) } catch { result = .failure(error) }
                desk.withLock { $0.found = Found(search: search, result: result) }
            }
            wake()
        }
    }

    private func nextJob() -> Job? {
        desk.withLock { desk in
            if let question = desk.question {
                desk.question = nil
                return .answer(question)
            }
            defer { desk.search = nil }
            desk.isBusy = desk.search != nil
            return desk.search.map { .search($0) }
        }
    }

    private func content(_ question: Question) -> WalkAnswer.Content {
        do {
            return question.pane == .changes
                ? .changes(try states.changes(at: question.step)) : .state(try states.state(at: question.step))
        } catch {
            return .failure(tool.inCommands(of: "\(error)"))
        }
    }
}
