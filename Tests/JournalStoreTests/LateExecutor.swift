import Dispatch

@testable import JournalStore

/// Runs jobs as usual, but keeps those of one priority until it is told to run them.
final class LateExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        /// Whether it keeps no more jobs.
        var isOver = false
    }

    private let priority: TaskPriority?
    private let late = Lock(State())

    /// - Parameter priority: the priority of the jobs that it keeps; nil for all.
    init(_ priority: TaskPriority?) {
        self.priority = priority
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isKept = late.withLock { late in
            if late.isOver || job.priority.rawValue != priority?.rawValue ?? job.priority.rawValue { return false }
            late.jobs.append(job)
            return true
        }
        if !isKept { run(job) }
    }

    private func run(_ job: UnownedJob) {
        DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs the jobs that were kept, on this thread.
    ///
    /// - Returns: how many there were.
    @discardableResult
    func runLate() -> Int {
        let jobs = late.withLock { late in
            defer { late.jobs = [] }
            return late.jobs
        }
        for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
        return jobs.count
    }

    /// Runs the jobs that were kept, and from now on each other one at once.
    func end() {
        let jobs = late.withLock { late in
            defer { (late.jobs, late.isOver) = ([], true) }
            return late.jobs
        }
        for job in jobs { run(job) }
    }
}
