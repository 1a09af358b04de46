extension ValueDiff: CustomStringConvertible {
    /// The changes, each as ``Change/description`` shows it.
    public var description: String { changes.map(\.description).joined(separator: "\n") }
}

extension ValueDiff.Change: CustomStringConvertible {
    /// The change on a line of its own, `path: old → new`, or `- path: old` and `+ path: new` if the part exists on one
    /// side only or the line would be too long. The whole value is called `self`.
    public var description: String {
        let path = path.isEmpty ? "self" : path
        switch (old, new) {
        case (let old?, let new?):
            // Unequal values with equal texts are marked.
            let note = old == new ? " (unequal, but described alike)" : ""
            let line = "\(path): \(old) → \(new)\(note)"
            if line.count <= Self.width, !line.contains("\n") { return line }
            return Self.block("-", path, old) + "\n" + Self.block("+", path, new + note)
        case (let old?, nil): return Self.block("-", path, old)
        case (nil, let new?): return Self.block("+", path, new)
        case (nil, nil): return path
        }
    }

    private static let width = 100

    /// A text with its path, each line with its sign.
    private static func block(_ sign: String, _ path: String, _ text: String) -> String {
        let lines = "\(path): \(text)".split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { "\(sign) \($0)" }.joined(separator: "\n")
    }
}
