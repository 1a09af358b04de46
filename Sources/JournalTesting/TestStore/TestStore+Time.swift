extension TestStore {
    /// Advances the clock, and stops on the way at each moment at which something is due, until effects have done all
    /// that they can do then.
    public func advance(
        by duration: Duration,
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) async {
        let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
        guard await quiet(at: site) else { return }
        if duration < .zero { return fail("The clock cannot go back, as by \(duration).", at: site) }
        let end = clock.now.advanced(by: duration)
        while clock.moveToNextWake(within: clock.now.duration(to: end)) {
            guard await quiet(at: site) else { return }
        }
        await quiet(at: site)
    }

    /// Advances the clock from one moment at which something is due to the next, until nothing is due any more.
    ///
    /// It fails if something is still due after that many moments: a repeated timer never ends by itself.
    public func advanceUntilIdle(
        atMost moments: Int = 1_000,
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) async {
        let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
        guard await quiet(at: site) else { return }
        for _ in 0..<max(0, moments) {
            guard clock.moveToNextWake(within: nil) else { return }
            guard await quiet(at: site) else { return }
        }
        if let wake = clock.nextWake {
            fail("The clock has stopped at \(moments) moments, and something is still due in \(wake).", at: site)
        }
    }
}
