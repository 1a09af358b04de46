/// Replaces a journal that stopped at an I/O error by a copy that is known to be on the disk.
///
/// After a failed fsync the page cache can show what the disk never got, and a later fsync can succeed. So nothing in the old file
/// counts as durable: what can be read is copied, verified and synced. The old file stays next to the new one. After a crash at any
/// moment, the mark in the sidecar tells the next opening to continue. https://www.sqlite.org/howtocorrupt.html
struct Rescue {
    let file: String
    let vfs: String?

    private var copy: String { file + "-salvage" }

    /// The n-th damaged file that was set aside for a journal, n from 1 on. Earlier ones are never overwritten.
    static func damagedName(_ file: String, _ number: Int) -> String {
        file + (number == 1 ? "-damaged" : "-damaged-\(number)")
    }

    /// - Returns: the name that the damaged file has now; nil if there was none.
    func run(_ sidecar: Sidecar) throws(JournalError) -> String? {
        if sidecar.mark == .stopped {
            guard Platform.status(ofPath: file) != nil else {
                sidecar.mark = .clean
                return nil
            }
            try makeCopy()
            sidecar.mark = .copyReady
        }
        let damaged = try replace()
        sidecar.mark = .clean
        return damaged
    }

    private func makeCopy() throws(JournalError) {
        let isEmpty = try JournalError.at(file, "copying it after an I/O error") { () throws(DatabaseError) in
            let source = try JournalDatabase.openForWriting(file, vfs: vfs, busyTimeout: .seconds(5))
            try Copy.make(of: source.connection, at: copy)
            return try Migrator().find(in: source.connection).isEmpty
        }
        // If the first opening failed before it had made the tables, there is nothing to verify.
        if !isEmpty { try Copy.verify(copy, original: file) }
    }

    /// Puts the copy in the journal's place. A part that an earlier opening has done is skipped. The WAL is moved first: SQLite would
    /// apply an old WAL to the new database.
    private func replace() throws(JournalError) -> String? {
        let taken = (1...).prefix { Platform.status(ofPath: Rescue.damagedName(file, $0)) != nil }.count
        // If the journal has no file, an earlier opening has set it aside already.
        let isMoved = Platform.status(ofPath: copy) == nil || Platform.status(ofPath: file) == nil
        let damaged = Rescue.damagedName(file, isMoved ? max(1, taken) : taken + 1)
        if Platform.status(ofPath: copy) != nil {
            for suffix in ["-wal", ""] where Platform.status(ofPath: file + suffix) != nil {
                try move(file + suffix, to: damaged + suffix)
            }
            Platform.remove(file + "-shm")
            try move(copy, to: file)
        }
        guard Platform.sync(Platform.directory(of: file)) else { throw failure("syncing the folder") }
        return damaged
    }

    private func move(_ from: String, to target: String) throws(JournalError) {
        guard Platform.move(from, to: target) else { throw failure("renaming \(from) to \(target)") }
    }

    private func failure(_ doing: String) -> JournalError {
        JournalError.system(
            .inputOutput, "Replacing the journal after an I/O error failed while \(doing)",
            advice:
                "Nothing is lost. Check the rights and the free space of the folder, then open the journal again: it continues there.",
            file: file)
    }
}
