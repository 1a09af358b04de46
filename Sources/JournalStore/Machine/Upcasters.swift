/// The steps from older versions of a stored text to the present one.
struct Upcasters: Sendable {
    /// Why a stored text has no present form.
    enum Failure: Error {
        case newer
        case missing(version: Int)
        case failed(version: Int, any Error)
    }

    /// By the version they start from; each leads to the next one.
    private var steps: [Int: @Sendable (String, any Codec) throws -> String] = [:]

    mutating func add(from version: Int, _ step: @escaping @Sendable (String, any Codec) throws -> String) {
        steps[version] = step
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
