/// Why nothing could be measured.
struct BenchError: Error, Hashable {
    var message: String
    /// What the process ends with.
    var status: Int32 = 1

    static func usage(_ message: String) -> BenchError {
        BenchError(message: "\(message)\n\(Arguments.usage)", status: 64)
    }
}
