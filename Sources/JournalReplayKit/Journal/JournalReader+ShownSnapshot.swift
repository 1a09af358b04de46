import JournalStore

extension JournalReader {
    /// The newest snapshot of a stream that is not after a step, to be shown as it is stored; nil if there is none.
    ///
    /// - Throws: ``JournalError``; for a damaged snapshot that is no base, it says that nothing is lost.
    func shownSnapshot(of stream: StreamInfo, atOrBefore step: Int) throws(JournalError) -> Snapshot? {
        do throws(JournalError) { return try snapshot(in: stream.name, atOrBefore: step) } catch {
            guard error.isDamage, let mark = try newestMark(of: stream, atOrBefore: step), !mark.isBase else {
                throw error
            }
            var reported = error
            reported.advice = "Nothing is lost: with the machine, the state can be computed. `verify` shows all damage."
            throw reported
        }
    }
}
