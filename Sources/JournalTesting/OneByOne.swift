import Dispatch
import JournalStore

/// An executor that runs tasks one after the other, in the order in which they become ready, and knows when none is.
final class OneByOne: TaskExecutor {
    private struct Held {
        var jobs: [UnownedJob] = []
        var isAtWork = false
    }

    private let held = Watched(Held())
    private let queue = DispatchQueue(label: "JournalTesting.OneByOne")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFirst = held.change { held in
            held.jobs.append(job)
            defer { held.isAtWork = true }
            return !held.isAtWork
        }
        if isFirst { queue.async { self.work() } }
    }

    private func work() {
        while let jobs = next() {
            for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }

    private func next() -> [UnownedJob]? {
        held.change { held in
            defer { held.jobs = [] }
            held.isAtWork = !held.jobs.isEmpty
            return held.isAtWork ? held.jobs : nil
        }
    }

    /// Returns once no task is ready. Must not be called from one of these tasks.
    func quiet() async {
        _ = await held.wait { $0.isAtWork ? nil : true }
    }

    /// Returns once no task is ready, or after the limit in real time.
    func quiet(atMost limit: Duration) async {
        _ = await held.wait(atMost: limit) { $0.isAtWork ? nil : true }
    }
}
