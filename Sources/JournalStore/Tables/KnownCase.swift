import Synchronization

/// A case of an enum, given by its constructor. It is recognized by reflection once, and by its tag from then on.
final class KnownCase<Root: Sendable, Payload>: Sendable {
    private let reflected: ReflectedCase<Root, Payload>
    private let tag = EnumTag<Root>()
    /// The tag of the case; -1 until a value of it has been seen.
    private let known = Atomic(-1)

    init(_ constructor: @escaping @Sendable (Payload) -> Root) {
        reflected = ReflectedCase(constructor)
    }

    func matches(_ root: Root) -> Bool {
        let found = tag?.of(root) ?? -1
        let known = known.load(ordering: .relaxed)
        if known >= 0 { return found == known }
        guard reflected.extract(from: root) != nil else { return false }
        self.known.store(found, ordering: .relaxed)
        return true
    }
}
