import Synchronization

/// Closes the lock descriptors in a forked child, so that it does not keep its parent's locks.
///
/// A child inherits every descriptor, and an advisory lock lives until the last one is closed: a child that outlives
/// its parent would lock the app out of its own journal. So the child closes them before it does anything else.
/// (An `exec` closes them too: they are opened with `O_CLOEXEC`.)
package enum ForkGuard {
    /// The number of forks since the process that loaded the library. A journal compares it before each commit:
    /// SQLite must not be used across a fork
    /// (https://www.sqlite.org/howtocorrupt.html#_carrying_an_open_database_connection_across_a_fork_).
    package static var generation: Int { forks.load(ordering: .relaxed) }

    private static let forks = Atomic<Int>(0)

    /// Descriptors in raw memory, because the child must not use anything else: another thread may have held any lock
    /// at the fork. A full block is replaced by a larger one; the old one is not freed, because it may be in use.
    private struct Slots {
        let count: Int
        let descriptors: UnsafeMutablePointer<Int32>
    }

    // Written under the mutex; read in the child, which has only one thread.
    nonisolated(unsafe) private static var slots = Slots(count: 0, descriptors: .allocate(capacity: 1))
    private static let registration = Lock<Bool>(false)

    static func register(_ descriptor: Int32) {
        registration.withLock { installed in
            if !installed {
                Platform.afterFork { ForkGuard.closeInChild() }
                installed = true
            }
            if let free = (0..<slots.count).first(where: { slots.descriptors[$0] < 0 }) {
                slots.descriptors[free] = descriptor
                return
            }
            let larger = Slots(count: slots.count * 2 + 16, descriptors: .allocate(capacity: slots.count * 2 + 16))
            larger.descriptors.initialize(repeating: -1, count: larger.count)
            larger.descriptors.update(from: slots.descriptors, count: slots.count)
            larger.descriptors[slots.count] = descriptor
            slots = larger
        }
    }

    static func unregister(_ descriptor: Int32) {
        registration.withLock { _ in
            for index in 0..<slots.count where slots.descriptors[index] == descriptor { slots.descriptors[index] = -1 }
        }
    }

    private static func closeInChild() {
        forks.wrappingAdd(1, ordering: .relaxed)
        for index in 0..<slots.count where slots.descriptors[index] >= 0 {
            Platform.closeFile(slots.descriptors[index])
            slots.descriptors[index] = -1
        }
    }
}
