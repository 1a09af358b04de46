import Dispatch
import JournalStore

/// Runs tasks one after the other, in the order in which they can go on, and knows when none can.
final class OneByOne: TaskExecutor {
    private struct Held {
        var jobs: [UnownedJob] = []
        var isAtWork = false
        var waiting: [UnsafeContinuation<Void, Never>] = []
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
        let found = held.change { held in
            let found = held
            held.isAtWork = !found.jobs.isEmpty
            held.jobs = []
            if found.jobs.isEmpty { held.waiting = [] }
            return found
        }
        guard found.jobs.isEmpty else { return found.jobs }
        for continuation in found.waiting { continuation.resume() }
        return nil
    }

    /// Returns once no task can go on by itself. Asked from outside of these tasks.
    func quiet() async {
        await withUnsafeContinuation { continuation in
            let isQuiet = held.change { held in
                if held.isAtWork { held.waiting.append(continuation) }
                return !held.isAtWork
            }
            if isQuiet { continuation.resume() }
        }
    }
}
