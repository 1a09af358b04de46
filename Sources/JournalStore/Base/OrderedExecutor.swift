import Dispatch

/// Runs jobs one at a time, in the order in which they become ready. A job may block its thread.
final class OrderedExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "JournalStore.OrderedExecutor")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Calls a function behind the jobs that are ready.
    func afterCurrentJob(_ body: @escaping @Sendable () -> Void) {
        queue.async(execute: body)
    }
}
