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

    /// The address of a block: how many descriptors there is room for, and the descriptors. In raw memory, because the
    /// child must not use anything else: another thread may have held any lock at the fork. A full block is replaced by a
    /// larger one; the old one is not freed, because it may be in use.
    private static let block = Atomic<UInt>(0)
    private static let registration = Lock<Bool>(false)

    /// Changed under the lock of the registration; read in the child as well, which has only one thread.
    private static var descriptors: UnsafeMutableBufferPointer<Int32> {
        guard let block = UnsafeMutablePointer<Int32>(bitPattern: block.load(ordering: .acquiring)) else {
            return UnsafeMutableBufferPointer(start: nil, count: 0)
        }
        return UnsafeMutableBufferPointer(start: block + 1, count: Int(block.pointee))
    }

    static func register(_ descriptor: Int32) {
        registration.withLock { installed in
            if !installed {
                Platform.afterFork { ForkGuard.closeInChild() }
                installed = true
            }
            let known = descriptors
            if let free = known.firstIndex(where: { $0 < 0 }) {
                known[free] = descriptor
                return
            }
            let count = known.count * 2 + 16
            let larger = UnsafeMutablePointer<Int32>.allocate(capacity: 1 + count)
            larger.initialize(repeating: -1, count: 1 + count)
            larger.pointee = Int32(count)
            for (index, old) in known.enumerated() { larger[1 + index] = old }
            larger[1 + known.count] = descriptor
            block.store(UInt(bitPattern: larger), ordering: .releasing)
        }
    }

    static func unregister(_ descriptor: Int32) {
        registration.withLock { _ in
            let known = descriptors
            for index in known.indices where known[index] == descriptor { known[index] = -1 }
        }
    }

    private static func closeInChild() {
        forks.wrappingAdd(1, ordering: .relaxed)
        let known = descriptors
        for index in known.indices where known[index] >= 0 {
            Platform.closeFile(known[index])
            known[index] = -1
        }
    }
}
