package import CFaultVFS
import Synchronization

/// A file system with faults, registered under a name of its own.
package final class FaultVFS: @unchecked Sendable {
    // The C side guards itself: "All functions may be called from any thread."
    private let vfs: OpaquePointer
    package let name: String

    private static let count = Atomic<Int>(0)

    package init() {
        name = "fault-\(FaultVFS.count.wrappingAdd(1, ordering: .relaxed).newValue)"
        guard let vfs = fault_vfs_create(name) else { preconditionFailure("the VFS \(name) could not be registered") }
        self.vfs = vfs
    }

    deinit {
        fault_vfs_destroy(vfs)
    }

    /// The nth such operation from now on fails, and the `count - 1` after it; below 0: all.
    package func fail(
        _ operation: fault_operation, suffix: String = "", nth: UInt64 = 1, count: Int64 = 1, code: Int32,
        manner: fault_manner = FAULT_INSTEAD
    ) {
        let isSet = fault_vfs_fail(vfs, operation, suffix, nth, count, code, manner)
        precondition(isSet, "too many faults, or one that makes no sense")
    }

    package func clear() { fault_vfs_clear(vfs) }

    package func count(_ operation: fault_operation, suffix: String = "") -> UInt64 {
        fault_vfs_count(vfs, operation, suffix)
    }

    package func cutPower(afterOperations count: UInt64) { fault_vfs_cut_after(vfs, count) }

    package var isCut: Bool { fault_vfs_is_cut(vfs) }

    /// Leaves what a disk could hold; the power is back afterwards.
    package func loseUnsynced(seed: UInt64) -> Bool { fault_vfs_lose_unsynced(vfs, seed) }

    package func reset() { fault_vfs_reset(vfs) }
}
