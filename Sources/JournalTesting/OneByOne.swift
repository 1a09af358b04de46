import Dispatch
import JournalStore

/// An executor that runs tasks one after the other, in the order in which they become ready, and knows when none is.
final class OneByOne: TaskExecutor {
    private struct Held {
        var jobs: [UnownedJob] = []
        var isAtWork = false
        var timeAtWork = Duration.zero
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
            let time = Platform.threadTime {
                for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
            }
            held.changeQuietly { $0.timeAtWork += time }
        }
    }

    private func next() -> [UnownedJob]? {
        held.change { held in
            defer { held.jobs = [] }
            held.isAtWork = !held.jobs.isEmpty
            return held.isAtWork ? held.jobs : nil
        }
    }

    /// Whether a task is ready or runs.
    var isAtWork: Bool { held.read { $0.isAtWork } }

    /// For how long its tasks were running; time in which other threads had the processors does not count.
    var timeAtWork: Duration { held.read { $0.timeAtWork } }

    /// Returns once no task is ready, after the limit in real time, or once `isOver` returns true. Must not be called
    /// from one of these tasks.
    ///
    /// - Returns: false if a task was ready all the time.
    func quiet(atMost limit: Duration?, unless isOver: @Sendable () -> Bool) async -> Bool {
        let answer = { (held: Held) in !held.isAtWork ? true : isOver() ? false : nil }
        guard let limit else { return await held.wait(for: answer) ?? false }
        return await held.wait(atMost: limit, for: answer) ?? false
    }

    /// Lets those who wait ask again whether to go on.
    func wakeWaiters() { held.wake() }
}
