import Synchronization

/// Which step each stream is reducing right now: words in the mapped sidecar, so that they are there after a reducer has brought the
/// process down.
final class StepMarks: Sendable {
    /// What was being reduced when a process ended.
    struct Mark: Hashable, Sendable {
        var stream: StreamID
        var step: Int
    }

    /// So many reducers at once can be named; one more is not.
    static let count = 64
    private static let start = 2048
    private let mapping: LockedFile.Mapping
    /// A bit for each place that is taken.
    private let taken = Atomic<UInt64>(0)

    init(_ mapping: LockedFile.Mapping) {
        self.mapping = mapping
    }

    /// What the process before this one left. Afterwards nothing is marked.
    func takeRemains() -> [Mark] {
        (0..<StepMarks.count).compactMap { place in
            let address = address(place)
            let step = address.load(fromByteOffset: 8, as: Int.self)
            let stream = address.load(as: Int64.self)
            clear(place)
            return step > 0 ? Mark(stream: StreamID(rawValue: stream), step: step) : nil
        }
    }

    /// A place to write to; nil where all are taken.
    func take() -> Int? {
        var bits = taken.load(ordering: .relaxed)
        while bits != .max {
            let place = (~bits).trailingZeroBitCount
            let (exchanged, found) = taken.compareExchange(
                expected: bits, desired: bits | 1 << UInt64(place), ordering: .acquiring)
            if exchanged { return place }
            bits = found
        }
        return nil
    }

    func giveBack(_ place: Int) {
        taken.bitwiseAnd(~(1 << UInt64(place)), ordering: .releasing)
    }

    func set(_ place: Int, _ stream: StreamID, _ step: Int) {
        address(place).storeBytes(of: stream.rawValue, as: Int64.self)
        // The step makes the mark, so it comes last.
        atomicMemoryFence(ordering: .releasing)
        address(place).storeBytes(of: step, toByteOffset: 8, as: Int.self)
    }

    func clear(_ place: Int) {
        address(place).storeBytes(of: 0, toByteOffset: 8, as: Int.self)
    }

    private func address(_ place: Int) -> UnsafeMutableRawPointer {
        mapping.bytes + StepMarks.start + place * 16
    }
}
