/// The step and position of an appended entry.
public struct Appended: Hashable, Sendable {
    /// Its step.
    public var step: Int
    /// Its position; nil if a repeated dispatch refers to an entry that was pruned since.
    public var position: Int?
    /// Whether the dispatch ID was used before: the step is the first one's, and nothing was appended.
    public var isRepeat: Bool { stamp == nil }
    /// The time and digest that the reduction of the entry uses; nil if nothing was appended.
    package var stamp: Stamp?

    package struct Stamp: Hashable, Sendable {
        package var time: Timestamp
        package var digest: Digest
    }

    package init(step: Int, position: Int?, stamp: Stamp?) {
        (self.step, self.position, self.stamp) = (step, position, stamp)
    }
}
