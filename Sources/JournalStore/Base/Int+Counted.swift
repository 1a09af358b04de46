extension Int {
    /// The number and a noun: `1 step`, `2 steps`.
    package func counted(_ one: String, _ many: String) -> String { "\(self) \(self == 1 ? one : many)" }
}
