#if canImport(Testing)
    import Testing
#else
    import JournalStore
#endif

/// An assertion of a ``TestStore`` or a ``TestStateMachine`` that failed.
public struct TestStoreFailure: Hashable, Sendable, CustomStringConvertible {
    /// What was expected and what was found, in one or more lines.
    public var message: String
    /// The file of the test, as `#fileID`.
    public var fileID: String
    /// The file of the test, as `#filePath`.
    public var filePath: String
    /// The line of the call that failed.
    public var line: Int
    /// The column of the call that failed.
    public var column: Int

    init(_ message: String, at site: CallSite) {
        self.message = message
        (fileID, filePath, line, column) = (site.fileID, site.filePath, site.line, site.column)
    }

    /// The place and the message.
    public var description: String { "\(fileID):\(line): \(message)" }

    /// Records the failure as an issue of the current test, at the line of the call. Without Swift Testing, prints it.
    public func record() {
        #if canImport(Testing)
            Issue.record(
                Comment(rawValue: message),
                sourceLocation: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
        #else
            print(description)
        #endif
    }
}

/// Where a test asserts something.
struct CallSite: Sendable {
    var fileID: String
    var filePath: String
    var line: Int
    var column: Int
}
