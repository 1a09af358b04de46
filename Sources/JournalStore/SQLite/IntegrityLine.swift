internal import CJournalSQLite

/// A line of `PRAGMA integrity_check`. https://www.sqlite.org/pragma.html#pragma_integrity_check
enum IntegrityLine {
    /// Whether a line only names the database that the following lines are about: "*** in database main ***".
    static func isHeading(_ line: some StringProtocol) -> Bool { line.hasPrefix("*** in database ") }

    /// The error that a line stands for; nil if the line is a finding. A page that cannot be read is reported as a
    /// line, whether it is damaged or its read failed: "unable to get the page. error code=10", "failed to get page 7".
    ///
    /// - Parameter number: the error number of the last system call that failed during the check; 0 if none did.
    static func error(_ line: some StringProtocol, lastSystemError number: Int32) -> DatabaseError? {
        let during = "PRAGMA integrity_check"
        if line.contains("failed to get page"), Platform.isFailedRead(number) {
            return .failedRead(number, during: during)
        }
        guard line.contains("error code"), let end = line.lastIndex(where: { !$0.isNumber }),
            let code = Int32(line[line.index(after: end)...]),
            ![SQLITE_OK, SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF)
        else { return nil }
        return DatabaseError(code: code, message: String(cString: sqlite3_errstr(code)), during: during, system: number)
    }
}
