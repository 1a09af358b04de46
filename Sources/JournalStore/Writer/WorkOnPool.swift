/// How a mailbox is worked off by a task of the pool.
enum WorkOnPool {
    /// Goes on round by round. After a round of several it gives way, so that those who were answered can hand in what comes next. One
    /// alone is not waited for: it finds the mailbox idle then, and does its work itself.
    ///
    /// - Parameters:
    ///   - round: does what waits, and says how much that was.
    ///   - isDone: looks whether nothing waits, and ends the work then.
    static func goOn(_ round: () -> Int, until isDone: () -> Bool) async {
        var rounds = 0
        repeat {
            while round() > 1 { await Task.yield() }
            rounds += 1
            // Threads that dispatch without a pause must not keep this one from the others of its pool.
            if rounds.isMultiple(of: 16) { await Task.yield() }
        } while !isDone()
    }
}
