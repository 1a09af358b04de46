/// The elements of a tuple's type; of another type, the type itself.
///
/// To compare the types of payloads without their labels: a constructor takes `(Int, Int)` where its case holds
/// `(from: Int, to: Int)`, and `Int` where its case holds `(persons: Int)`.
@usableFromInline
struct TupleElements {
    private typealias AnyType = any Any.Type

    private let type: any Any.Type
    /// Nil if it is not a tuple.
    private let elements: UnsafeRawPointer?
    private let count: Int

    init(_ type: any Any.Type) {
        self.type = type
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        let kindOfTuples = 0x301
        let isTuple = metadata.load(as: Int.self) == kindOfTuples
        count = isTuple ? metadata.load(fromByteOffset: 8, as: Int.self) : 1
        elements = isTuple ? metadata + 24 : nil
    }

    private var onlyElement: (any Any.Type)? { elements != nil && count == 1 ? self[0] : nil }

    private subscript(index: Int) -> any Any.Type {
        // Each element is its type and its offset.
        elements?.load(fromByteOffset: index * 16, as: AnyType.self) ?? type
    }

    @usableFromInline
    static func areEqual(_ left: any Any.Type, _ right: any Any.Type) -> Bool {
        if left == right { return true }
        let (first, second) = (TupleElements(left), TupleElements(right))
        // A tuple of one element exists only with a label, and is laid out as the element.
        if let only = first.onlyElement { return areEqual(only, right) }
        if let only = second.onlyElement { return areEqual(left, only) }
        guard first.elements != nil, second.elements != nil, first.count == second.count else { return false }
        for index in 0..<first.count where !areEqual(first[index], second[index]) { return false }
        return true
    }
}
