/// Convert stored texts of older versions to the current version.
struct Upcasters: Sendable {
    /// Why a stored text cannot be converted to the current version.
    enum Failure: Error {
        case newer
        case missing(version: Int)
        case failed(version: Int, any Error)
    }

    private typealias Convert = @Sendable (String, any Codec) throws -> String

    /// By the version that a step converts from, in ascending order; each step leads to the next version.
    private var steps: [(version: Int, convert: Convert)] = []
    /// The versions whose texts a step changes.
    private var changedVersions: Set<Int> = []
    /// From this version on, texts are those of the next version, as far as no step says otherwise.
    private var unchanged: Int?

    /// Adds a step. Several steps of one version are done in the order in which they were added.
    mutating func add(from version: Int, _ step: @escaping @Sendable (String, any Codec) throws -> String) {
        changedVersions.insert(version)
        append(from: version, step)
    }

    private mutating func append(from version: Int, _ step: @escaping @Sendable (String, any Codec) throws -> String) {
        let index = steps.firstIndex { $0.version >= version } ?? steps.endIndex
        guard index < steps.endIndex, steps[index].version == version else {
            return steps.insert((version, step), at: index)
        }
        let first = steps[index].convert
        steps[index].convert = { try step(first($0, $1), $1) }
    }

    /// Declares that a version's texts are those of the next one, as far as nothing else was added.
    mutating func keep(from version: Int) {
        append(from: version) { text, _ in text }
    }

    /// Declares that from a version on, texts are those of the next version, as far as no step says otherwise.
    mutating func keep(since version: Int) {
        unchanged = min(unchanged ?? version, version)
    }

    /// Whether a step changes the texts of a version on their way to the current one.
    func change(textsOf version: Int, to current: Int) -> Bool {
        changedVersions.contains { version <= $0 && $0 < current }
    }

    func upcast(_ text: String, from version: Int, to current: Int, _ codec: any Codec) throws(Failure) -> String {
        guard version <= current else { throw .newer }
        if version == current { return text }
        var (text, version) = (text, version)
        // Not version by version: they may be dates.
        for (next, convert) in steps where next >= version && next < current {
            if next > version, !isUnchanged(version) { throw .missing(version: version) }
            do { text = try convert(text, codec) } catch { throw .failed(version: next, error) }
            version = next + 1
        }
        if version < current, !isUnchanged(version) { throw .missing(version: version) }
        return text
    }

    /// The versions from one on whose texts differ in how they are converted to the current one, and the current one.
    func forms(from version: Int, to current: Int) -> [Int] {
        guard version < current else { return [version] }
        // A step from the current version or a newer one leads nowhere.
        let considered = steps.filter { version <= $0.version && $0.version < current - 1 }
        return [version] + considered.map { $0.version + 1 } + [current]
    }

    private func isUnchanged(_ version: Int) -> Bool {
        unchanged.map { $0 <= version } ?? false
    }
}
