/// Names of streams by what was found in them, in the order in which that was found first. A journal can have as many
/// different findings as streams.
struct StreamGroups<Finding: Hashable> {
    private(set) var groups: [(finding: Finding, streams: [String])] = []
    private var indices: [Finding: Int] = [:]

    /// - Returns: whether the finding is new.
    @discardableResult
    mutating func add(_ stream: String, to finding: Finding) -> Bool {
        if let known = indices[finding] {
            groups[known].streams.append(stream)
            return false
        }
        indices[finding] = groups.count
        groups.append((finding, [stream]))
        return true
    }
}
