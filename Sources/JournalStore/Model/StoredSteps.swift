/// A page of entries with only what a fold needs. The stored actions share one buffer, so that no action needs a string
/// of its own.
struct StoredSteps: Sendable {
    /// A page ends after this many bytes, however few its steps are.
    static let enough = 1 << 20

    private var steps: ContiguousArray<StoredStep> = []
    private(set) var bytes: ContiguousArray<UInt8> = []
    /// Whether one of them counts only if its effect was still live.
    private(set) var hasProvisional = false
    /// The number of steps that were removed from the front.
    private var taken = 0

    var isEmpty: Bool { taken == steps.count }
    /// The steps that are not removed.
    var remaining: ArraySlice<StoredStep> { steps[taken...] }
    var isFull: Bool { bytes.count >= Self.enough }

    mutating func append(
        _ number: Int, position: Int, version: Int, _ stamp: Appended.Stamp, body: Digest, isProvisional: Bool,
        action: UnsafeRawBufferPointer
    ) {
        let start = bytes.count
        bytes.append(contentsOf: action)
        if isProvisional { hasProvisional = true }
        steps.append(
            StoredStep(
                number: number, position: position, version: version, stamp: stamp, body: body,
                isProvisional: isProvisional,
                action: start..<bytes.count))
    }

    var last: StoredStep? { taken < steps.count ? steps.last : nil }
    var first: StoredStep? { taken < steps.count ? steps[taken] : nil }

    mutating func removeFirst() { taken += 1 }
}

/// What a fold needs of one entry.
struct StoredStep: Sendable {
    let number: Int
    let position: Int
    let version: Int
    let stamp: Appended.Stamp
    /// The part of its digest that does not depend on its place and time.
    let body: Digest
    /// Whether it counts only if its effect was still live.
    let isProvisional: Bool
    /// The range of its action in the buffer.
    let action: Range<Int>
}
