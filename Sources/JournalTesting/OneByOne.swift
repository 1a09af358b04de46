import Dispatch
import JournalStore

/// An executor that runs tasks one after the other, in the order in which they become ready, and knows when none is.
final class OneByOne: TaskExecutor {
    private struct Held {
        var jobs: [UnownedJob] = []
        var isAtWork = false
        /// Whether no task begins, so that one who waits can look first, however busy the machine is.
        var isPaused = false
        var timeAtWork = Duration.zero
    }

    private let held = Watched(Held())
    private let queue = DispatchQueue(label: "JournalTesting.OneByOne")
    /// What the thread of a queue has only while it works for that one.
    private static let worker = DispatchSpecificKey<ObjectIdentifier>()

    init() { queue.setSpecific(key: Self.worker, value: ObjectIdentifier(queue)) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFirst = held.change { held in
            held.jobs.append(job)
            if held.isPaused { return false }
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
            held.isAtWork = !held.jobs.isEmpty && !held.isPaused
            guard held.isAtWork else { return nil }
            defer { held.jobs = [] }
            return held.jobs
        }
    }

    /// Whether the caller is one of its tasks: then no other one runs.
    var isRunningCaller: Bool { DispatchQueue.getSpecific(key: Self.worker) == ObjectIdentifier(queue) }

    /// Begins no task any more, and lets those who wait ask whether to go on.
    func pause() {
        held.change { $0.isPaused = true }
    }

    /// Goes on after a pause.
    func resume() {
        let mustWork = held.change { held in
            held.isPaused = false
            guard !held.isAtWork, !held.jobs.isEmpty else { return false }
            held.isAtWork = true
            return true
        }
        if mustWork { queue.async { self.work() } }
    }

    /// Whether a task is ready or runs.
    var isAtWork: Bool { held.read { $0.isAtWork || !$0.jobs.isEmpty } }

    /// For how long its tasks were running; time in which other threads had the processors does not count.
    var timeAtWork: Duration { held.read { $0.timeAtWork } }

    /// Returns once no task is ready, after the limit in real time, or once `isOver` returns true. Must not be called
    /// from one of these tasks.
    ///
    /// - Returns: false if a task was ready all the time.
    func quiet(atMost limit: Duration?, unless isOver: @Sendable () -> Bool) async -> Bool {
        let answer = { (held: Held) in !held.isAtWork && held.jobs.isEmpty ? true : isOver() ? false : nil }
        guard let limit else { return await held.wait(for: answer) ?? false }
        return await held.wait(atMost: limit, for: answer) ?? false
    }
}
