import JournalStore

#if canImport(Testing)
    import Testing
#endif
#if canImport(XCTest)
    import XCTest
#endif

/// An assertion of a ``TestStore`` or a ``TestStateMachine`` that failed.
public struct TestStoreFailure: Sendable, CustomStringConvertible {
    /// What was expected and what was found, in one or more lines.
    public var message: String
    /// The file of the test, as `#fileID`.
    public var fileID: String
    /// The file of the test, as `#filePath`.
    public var filePath: StaticString
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

    /// Records the failure at the line of the call: as an issue of the current test of Swift Testing, or as a failure
    /// of the current test of XCTest.
    ///
    /// Unless Swift Testing runs the current test, it is also printed on the standard error: there may be no test that
    /// can fail.
    public func record() {
        #if canImport(Testing)
            // Also without a current test: a test can use a detached task.
            Issue.record(
                Comment(rawValue: message),
                sourceLocation: SourceLocation(
                    fileID: fileID, filePath: filePath.description, line: line, column: column))
            if Test.current != nil { return }
        #endif
        #if canImport(XCTest)
            XCTFail(message, file: filePath, line: UInt(line))
        #endif
        Platform.printError(description)
    }
}

extension TestStoreFailure: Hashable {
    private var place: [String] { [message, fileID, filePath.description, "\(line)", "\(column)"] }

    /// Whether all parts are equal.
    public static func == (left: TestStoreFailure, right: TestStoreFailure) -> Bool { left.place == right.place }

    /// Hashes all parts.
    public func hash(into hasher: inout Hasher) { hasher.combine(place) }
}
