/// The task that runs at this moment.
enum CurrentTask {
    /// Whether it was created with a low priority. On Linux the threads of such tasks have a nice value: what others wait for
    /// must not run there. A thread that runs no task has none.
    static var hasLowPriority: Bool { Task.basePriority.map { $0 < .medium } ?? false }
}
