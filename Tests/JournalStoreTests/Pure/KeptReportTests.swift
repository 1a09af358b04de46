import Testing

@testable import JournalStore

@Suite struct `A report of an opening` {
    @Test func `is kept whole`() {
        var report = RecoveryReport()
        #expect(KeptReport(report).whole == report)
        (report.snapshotStep, report.replayedSteps) = (17, 4)
        #expect(KeptReport(report).whole == report)
        (report.baseStep, report.isCrashLoop, report.unsettledSteps) = (17, true, 2)
        report.skippedSnapshots = [JournalError(.corrupt, "It was changed.")]
        #expect(KeptReport(report).whole == report)
    }
}
