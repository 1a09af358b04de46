/// Convert stored texts of older versions to the current version.
struct Upcasters: Sendable {
    /// Why a stored text cannot be converted to the current version.
    enum Failure: Error {
        case newer
        case missing(version: Int)
        case failed(version: Int, any Error)
    }

    /// Keyed by the version that a step converts from; each step leads to the next version.
    private var steps: [Int: @Sendable (String, any Codec) throws -> String] = [:]

    /// Adds a step. Several steps of one version are done in the order in which they were added.
    mutating func add(from version: Int, _ step: @escaping @Sendable (String, any Codec) throws -> String) {
        guard let first = steps[version] else { return steps[version] = step }
        steps[version] = { try step(first($0, $1), $1) }
    }

    /// Declares that a version's texts are those of the next one, as far as nothing else was added.
    mutating func keep(from version: Int) {
        add(from: version) { text, _ in text }
    }

    func upcast(_ text: String, from version: Int, to current: Int, _ codec: any Codec) throws(Failure) -> String {
        guard version <= current else { throw .newer }
        var text = text
        for version in version..<current {
            guard let step = steps[version] else { throw .missing(version: version) }
            do { text = try step(text, codec) } catch { throw .failed(version: version, error) }
        }
        return text
    }
}
