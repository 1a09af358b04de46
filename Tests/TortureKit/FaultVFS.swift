package import CFaultVFS
import CJournalSQLite
import Foundation
import Synchronization

/// A SQLite VFS that injects faults, registered under a unique name.
package final class FaultVFS: @unchecked Sendable {
    // The C code is thread-safe: "All functions may be called from any thread." `onCut` is called before the first
    // connection.
    private let vfs: OpaquePointer
    package let name: String
    private var cutAction: @Sendable () -> Void = {}

    private static let count = Atomic<Int>(0)

    package init() {
        name = "fault-\(FaultVFS.count.wrappingAdd(1, ordering: .relaxed).newValue)"
        guard let vfs = fault_vfs_create(name) else { preconditionFailure("the VFS \(name) could not be registered") }
        self.vfs = vfs
    }

    deinit {
        fault_vfs_on_cut(vfs, nil, nil)
        fault_vfs_destroy(vfs)
    }

    /// Makes the nth such operation from now fail, and the `count - 1` after it; all after it if `count` is negative.
    ///
    /// - Parameter system: the error number behind the code; by default the usual one.
    package func fail(
        _ operation: fault_operation, suffix: String = "", nth: UInt64 = 1, count: Int64 = 1, code: Int32,
        system: Int32? = nil, manner: fault_manner = FAULT_INSTEAD
    ) {
        let isSet = fault_vfs_fail(
            vfs, operation, suffix, nth, count, code, system ?? FaultVFS.errorNumber(of: code), manner)
        precondition(isSet, "too many faults, a suffix that is too long, or nth is 0")
    }

    private static func errorNumber(of code: Int32) -> Int32 {
        switch code & 0xFF {
        case SQLITE_FULL: ENOSPC
        case SQLITE_CANTOPEN: EACCES
        default: EIO
        }
    }

    package func clear() { fault_vfs_clear(vfs) }

    package func count(_ operation: fault_operation, suffix: String = "") -> UInt64 {
        fault_vfs_count(vfs, operation, suffix)
    }

    package func cutPower(afterOperations count: UInt64) { fault_vfs_cut_after(vfs, count) }

    /// Cuts the power now.
    package func cutPower() { fault_vfs_cut(vfs) }

    /// Calls the function when the power is cut, before the operation that is cut off returns. The function must not
    /// use this VFS.
    package func onCut(_ function: @escaping @Sendable () -> Void) {
        cutAction = function
        fault_vfs_on_cut(
            vfs,
            { context in
                guard let context else { return }
                Unmanaged<FaultVFS>.fromOpaque(context).takeUnretainedValue().cutAction()
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    package var isCut: Bool { fault_vfs_is_cut(vfs) }

    /// Leaves the files as a disk could hold them, and restores power.
    package func loseUnsynced(seed: UInt64) -> Bool { fault_vfs_lose_unsynced(vfs, seed) }

    package func reset() { fault_vfs_reset(vfs) }
}
