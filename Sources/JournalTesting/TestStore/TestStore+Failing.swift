import JournalStore

extension TestStore {
    func fail(_ message: String, at site: CallSite) {
        hasFailed = true
        report(TestStoreFailure(message, at: site))
    }

    /// Fails with each new notice of the library.
    func failNotices(at site: CallSite) {
        for notice in recorder.takeNotices() {
            fail("The library reports a problem: \(notice.kind): \(notice.error.withoutFile)", at: site)
        }
    }

    /// Waits until no task is ready, so that effects have done all that they can do now.
    func quiet() async {
        // Bounded, because a body may block its thread.
        await executor.quiet(atMost: max(timeLimit, .seconds(60)))
    }

    /// Waits in the same way, and fails with what the library has noticed.
    func quiet(at site: CallSite) async {
        await quiet()
        failNotices(at: site)
    }
}

extension JournalError {
    /// The error without the name of the temporary file.
    var withoutFile: JournalError {
        var error = self
        error.file = nil
        return error
    }
}
