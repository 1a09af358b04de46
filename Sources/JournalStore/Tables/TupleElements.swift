/// Compares the types of payloads without their labels: a constructor takes `(Int, Int)` where its case holds
/// `(from: Int, to: Int)`, and `Int` where its case holds `(persons: Int)`.
enum TupleElements {
    private typealias AnyType = any Any.Type

    static func areEqual(_ left: any Any.Type, _ right: any Any.Type) -> Bool {
        if left == right { return true }
        let (left, right) = (of(left), of(right))
        return left.count == right.count && zip(left, right).allSatisfy { $0 == $1 }
    }

    /// The types of a tuple's elements; of another type, the type itself.
    private static func of(_ type: any Any.Type) -> [any Any.Type] {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        let kindOfTuples = 0x301
        guard metadata.load(as: Int.self) == kindOfTuples else { return [type] }
        let count = metadata.load(fromByteOffset: 8, as: Int.self)
        // Each element is its type and its offset.
        return (0..<count).map { metadata.load(fromByteOffset: 24 + $0 * 16, as: AnyType.self) }
    }
}
