internal import CFloor
import Foundation

/// Measures the disk itself.
enum Disk {
    /// The times of this many writes of 4 KiB, each with its sync.
    static func syncTimes(path: String, count: Int) throws(BenchError) -> [Duration] {
        var nanoseconds = [Int64](repeating: 0, count: count)
        let number = cfloor_sync_times(path, Int32(count), &nanoseconds)
        guard number == 0 else {
            throw BenchError(message: "\(path) cannot be written: \(String(cString: strerror(number))).")
        }
        return nanoseconds.map { .nanoseconds($0) }
    }
}
