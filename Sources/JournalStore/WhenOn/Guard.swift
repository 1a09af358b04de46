/// The condition of an ``On``: if it is not met, the next `On` is tried.
public struct Guard: Sendable {
    /// The name in diagrams.
    let name: String?
    @usableFromInline let isMet: Bool

    /// Creates a condition. Like a reducer it must be pure.
    ///
    /// - Parameters:
    ///   - name: the name in diagrams.
    ///   - predicate: whether the transition is made.
    public init(_ name: String? = nil, predicate: Bool) {
        (self.name, isMet) = (name, predicate)
    }
}
