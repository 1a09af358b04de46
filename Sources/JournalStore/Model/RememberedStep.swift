/// The result of a remembered step inside a run.
package struct RememberedStep: Hashable, Sendable {
    package var stream: StreamID
    package var step: Int
    package var ordinal: Int
    package var path: String
    package var name: String
    package var use: Int
    package var result: String

    package init(stream: StreamID, step: Int, ordinal: Int, path: String, name: String, use: Int, result: String) {
        (self.stream, self.step, self.ordinal) = (stream, step, ordinal)
        (self.path, self.name, self.use, self.result) = (path, name, use, result)
    }
}

/// The first remembered steps of a run, up to a limit.
package struct RememberedPage: Hashable, Sendable {
    package var steps: [RememberedStep] = []
    /// Whether there are more.
    package var hasMore = false
    /// The length of their results.
    package var bytes = 0

    package init() {}
}
