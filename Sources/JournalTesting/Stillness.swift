import JournalStore

/// Finds out when effects have done all that they can do before the clock moves: no task is ready, and each running
/// body sleeps until a time of the clock or waits for something else.
///
/// The tasks of the journal and of bodies run on ``executor``. A body can also start tasks with `Task {}`, which run
/// elsewhere. Those are known to have gone on only when they sleep on the clock, so a body that has just started, or
/// was just woken, and does not sleep is given a little time: more on a machine that is busy.
final class Stillness: Sendable {
    typealias Body = Journal.Options.CrashPoint.Body

    /// What moves while effects run.
    struct Activity: Sendable {
        /// The bodies that run.
        var bodies: Set<Body> = []
        /// Those among them that were not seen waiting since they could run.
        fileprivate var restless: Set<Body> = []
        /// How many journals follow the clock.
        fileprivate var journals = 0
        /// Counts the commits, and the starts and ends of bodies.
        var changes = 0
        /// How many of them a clock that is moved by a test waits for.
        var patience = 10_000
        /// After how many of them a wait gives up; nil for never.
        fileprivate var mostChanges: Int?
        fileprivate var isEndless: Bool { mostChanges.map { changes >= $0 } ?? false }
    }

    let executor = OneByOne()
    let activity = Watched(Activity())

    /// To be called at each crash point of the journal.
    func noticed(_ point: Journal.Options.CrashPoint) {
        let isEndless = activity.change { activity in
            activity.changes += 1
            switch point {
            case .committed: break
            case .started(let body):
                activity.bodies.insert(body)
                activity.restless.insert(body)
            case .ended(let body):
                activity.bodies.remove(body)
                activity.restless.remove(body)
            }
            return activity.isEndless
        }
        guard isEndless else { return }
        executor.pause()
        // The wait can have ended before the pause, and nobody would end that.
        if !activity.read({ $0.isEndless }) { executor.resume() }
    }

    /// The number of another journal.
    func nextNumber() -> Int {
        activity.changeQuietly { activity in
            activity.journals += 1
            return activity.journals
        }
    }

    /// Forgets the bodies of a journal, which its end has fenced.
    func forgetBodies(ofJournal number: Int) {
        activity.change { activity in
            activity.bodies = activity.bodies.filter { $0.journal != number }
            activity.restless = activity.restless.filter { $0.journal != number }
        }
    }

    /// Returns once effects have done all that they can do, or after the limit in real time. Time in which tasks
    /// elsewhere, for example those of other tests, kept the machine busy does not count.
    ///
    /// - Parameters:
    ///   - clock: the clock that the bodies sleep on.
    ///   - limit: how long to wait.
    ///   - changes: how many commits, starts and ends of bodies to wait for: effects can lead to each other for ever.
    /// - Returns: whether they have.
    func wait(on clock: ManualClock, atMost limit: Duration? = nil, changes: Int? = nil) async -> Bool {
        var end = limit.map { ContinuousClock.now + $0 }
        activity.changeQuietly { activity in activity.mostChanges = changes.map { activity.changes + $0 } }
        defer {
            activity.changeQuietly { $0.mostChanges = nil }
            executor.resume()
        }
        while true {
            let left = end.map { ContinuousClock.now.duration(to: $0) }
            guard await executor.quiet(atMost: left, unless: { [activity] in activity.read { $0.isEndless } }) else {
                return false
            }
            if await isStill(clock, &end) { return true }
            if let end, ContinuousClock.now >= end { return false }
        }
    }

    /// Whether nothing goes on, while no task of the executor is ready.
    ///
    /// - Parameter end: when to give up; moved by the time that tasks elsewhere took, and by longer pauses for them.
    private func isStill(_ clock: ManualClock, _ end: inout ContinuousClock.Instant?) async -> Bool {
        // The first round is for tasks that do not have to wait for a thread.
        var pause = Duration.zero
        for _ in 0..<Self.patience {
            if executor.isAtWork { return false }
            let (asleep, woken) = clock.takeSleepingBodies()
            let isCalm = activity.change { activity in
                activity.restless.formUnion(woken.intersection(activity.bodies))
                activity.restless.subtract(asleep)
                return activity.restless.isEmpty
            }
            if isCalm { return !executor.isAtWork }
            let start = ContinuousClock.now
            await Self.letOthersBegin()
            if pause > .zero { try? await Task.sleep(for: pause) }
            let taken = start.duration(to: .now)
            end = end?.advanced(by: max(.zero, taken - min(pause, Self.pause)))
            // A thread that has begun a task can wait for a processor as long as this task had to.
            pause = min(max(Self.pause, (taken - pause) * 2), Self.longestPause)
        }
        // They wait for something that the test does not control, or some of their tasks have ended.
        activity.change { $0.restless = [] }
        clock.forgetSlept()
        return !executor.isAtWork
    }

    /// Returns after the tasks that are ready elsewhere have begun, however busy the machine is.
    private static func letOthersBegin() async {
        // On Linux each priority has threads of its own.
        for priority in [TaskPriority.high, .medium, .low, .background] {
            await Task.detached(priority: priority) {}.value
        }
    }

    /// How often to look whether a body sleeps.
    private static let patience = 20
    private static let pause = Duration.milliseconds(3)
    private static let longestPause = Duration.milliseconds(500)
}
