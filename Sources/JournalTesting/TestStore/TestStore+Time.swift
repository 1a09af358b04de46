extension TestStore {
    /// Advances the clock, and stops on the way at each moment at which something is due, until effects have done all
    /// that they can do then.
    public func advance(
        by duration: Duration,
        fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) async {
        await quiet()
        let end = clock.now.advanced(by: duration)
        while clock.advanceToNextWake(within: clock.now.duration(to: end)) { await quiet() }
        await quiet(at: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
    }
}
