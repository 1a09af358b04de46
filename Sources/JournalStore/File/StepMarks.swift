import Synchronization

/// The step that each stream is reducing right now, as words in the mapped sidecar: they survive a reducer that crashes
/// the process.
final class StepMarks: Sendable {
    /// A step that was being reduced when a process ended.
    struct Mark: Hashable, Sendable {
        var stream: StreamID
        var step: Int
    }

    /// The number of slots: if more reducers run at once, the others are not marked.
    static let count = 64
    private static let start = 2048
    private let mapping: LockedFile.Mapping
    /// One bit for each slot in use.
    private let taken = Atomic<UInt64>(0)

    init(_ mapping: LockedFile.Mapping) {
        self.mapping = mapping
    }

    /// Returns the marks that the previous process left, and clears them.
    func takeRemains() -> [Mark] {
        (0..<StepMarks.count).compactMap { place in
            let address = address(place)
            let step = address.load(fromByteOffset: 8, as: Int.self)
            let stream = address.load(as: Int64.self)
            clear(place)
            return step > 0 ? Mark(stream: StreamID(rawValue: stream), step: step) : nil
        }
    }

    /// Reserves a slot; nil if all are in use.
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
        // A mark counts once its step is set, so the step is written last.
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
