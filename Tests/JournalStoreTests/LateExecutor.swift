import Dispatch

@testable import JournalStore

/// Runs jobs as usual, but keeps those of one priority until it is told to run them.
final class LateExecutor: TaskExecutor {
    private let priority: TaskPriority?
    private let late = Lock<[UnownedJob]>([])

    /// - Parameter priority: the priority of the jobs that it keeps; nil for all.
    init(_ priority: TaskPriority?) {
        self.priority = priority
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if job.priority.rawValue == priority?.rawValue ?? job.priority.rawValue {
            return late.withLock { $0.append(job) }
        }
        DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs the jobs that were kept, on this thread.
    ///
    /// - Returns: how many there were.
    @discardableResult
    func runLate() -> Int {
        let jobs = late.withLock { jobs in
            defer { jobs = [] }
            return jobs
        }
        for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
        return jobs.count
    }
}
