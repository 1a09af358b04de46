/// A name compared by its bytes. Texts that look the same can have different bytes, and then name different streams.
struct ByteName: Hashable, Sendable {
    private let bytes: [UInt8]

    init(_ name: String) { bytes = Array(name.utf8) }
}
