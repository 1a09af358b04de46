/// Where a test asserts something.
struct CallSite: Sendable {
    var fileID: String
    /// Static, because XCTest wants it so.
    var filePath: StaticString
    var line: Int
    var column: Int
}
