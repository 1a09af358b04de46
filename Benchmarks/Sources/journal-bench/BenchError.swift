/// The reason why a measurement failed.
struct BenchError: Error, Hashable {
    var message: String
    /// The exit status of the process.
    var status: Int32 = 1

    static func usage(_ message: String) -> BenchError {
        BenchError(message: "\(message)\n\(Arguments.usage)", status: 64)
    }
}
