extension [String] {
    /// The first elements, separated by commas, and how many others there are.
    func listed(_ limit: Int) -> String {
        prefix(limit).joined(separator: ", ") + (count > limit ? " and \(count - limit) more" : "")
    }
}
