/// A name compared by its bytes. Texts that look the same can have different bytes, and then name different streams.
package struct ByteName: Hashable, Sendable {
    package let name: String

    package init(_ name: String) {
        var name = name
        // For `hash(into:)`. A string that was made in Swift has its bytes in one piece already.
        name.makeContiguousUTF8()
        self.name = name
    }

    package static func == (left: ByteName, right: ByteName) -> Bool {
        left.name.hasSameBytes(as: right.name)
    }

    package func hash(into hasher: inout Hasher) {
        _ = name.utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// Whether it is the same name of a stream or of a machine: `==` also finds texts equal whose bytes differ.
    package func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
