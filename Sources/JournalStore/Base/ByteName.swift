/// A name as it is stored. Texts that are the same to people can be different bytes, and are different streams.
struct ByteName: Hashable, Sendable {
    private let bytes: [UInt8]

    init(_ name: String) { bytes = Array(name.utf8) }
}
