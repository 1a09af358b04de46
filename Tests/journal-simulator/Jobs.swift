@_spi(ExperimentalCustomExecutors) import _Concurrency

#if canImport(Glibc)
    import Glibc
#endif

/// All jobs of the process that are ready. They run on one thread, one after another, and the simulation decides which
/// is next.
final class Jobs: @unchecked Sendable {
    // `@unchecked`: only one thread uses it, and `add` ends the process if another one does.
    static let shared = Jobs()

    private var ready: [(job: UnownedJob, isMain: Bool)] = []
    private let thread = pthread_self()

    var count: Int { ready.count }

    /// Replaces the executors of the process. Only before the first task: later it hangs.
    static func takeAll() {
        _ = shared
        _createExecutors(factory: Executors.self)
    }

    fileprivate func add(_ job: UnownedJob, isMain: Bool) {
        precondition(pthread_equal(pthread_self(), thread) != 0, "a job was made on another thread")
        ready.append((job, isMain))
    }

    /// Runs one of the jobs.
    func run(_ index: Int) {
        let (job, isMain) = ready.remove(at: index)
        if isMain {
            job.runSynchronously(on: MainJobs.shared.asUnownedSerialExecutor())
        } else {
            job.runSynchronously(on: TaskJobs.shared.asUnownedTaskExecutor())
        }
    }

    /// Forgets the jobs: their tasks never go on.
    func drop() { ready = [] }
}

private struct Executors: ExecutorFactory {
    static var mainExecutor: any MainExecutor { MainJobs.shared }
    static var defaultExecutor: any TaskExecutor { TaskJobs.shared }
}

private final class TaskJobs: TaskExecutor {
    static let shared = TaskJobs()

    func enqueue(_ job: consuming ExecutorJob) { Jobs.shared.add(UnownedJob(job), isMain: false) }
}

private final class MainJobs: MainExecutor {
    static let shared = MainJobs()

    func enqueue(_ job: consuming ExecutorJob) { Jobs.shared.add(UnownedJob(job), isMain: true) }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    func checkIsolated() {}

    // The simulation itself is the loop.
    func run() throws {}
    func stop() {}
}
