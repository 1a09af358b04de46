/// Replaces a journal that stopped at an I/O error by a copy that is known to be on the disk.
///
/// After a failed fsync the page cache may show what the disk never got, and a later fsync can say that all is well. So
/// nothing of the old file is trusted to be durable: what can be read is copied, verified and synced. The old file stays
/// beside the new one. A crash at any moment of this finds the mark in the sidecar and goes on from there.
/// https://www.sqlite.org/howtocorrupt.html
struct Rescue {
    let file: String
    let vfs: String?

    private var copy: String { file + "-salvage" }

    static func damagedName(_ file: String) -> String { file + "-damaged" }

    func run(_ sidecar: Sidecar) throws(JournalError) {
        if sidecar.mark == .stopped {
            guard Platform.status(ofPath: file) != nil else {
                sidecar.mark = .clean
                return
            }
            try makeCopy()
            sidecar.mark = .copyReady
        }
        try replace()
        sidecar.mark = .clean
    }

    private func makeCopy() throws(JournalError) {
        try JournalError.at(file, "copying it after an I/O error") { () throws(DatabaseError) in
            let source = try JournalDatabase.openForWriting(file, vfs: vfs, busyTimeout: .seconds(5))
            try Copy.make(of: source.connection, at: copy)
        }
        try Copy.verify(copy, original: file)
    }

    /// Each step is skipped where it was done before. The WAL goes out of the way before the new file arrives: an old WAL
    /// beside a new database would be read into it.
    private func replace() throws(JournalError) {
        if Platform.status(ofPath: copy) != nil {
            let damaged = Rescue.damagedName(file)
            for suffix in ["-wal", ""] where Platform.status(ofPath: file + suffix) != nil {
                try move(file + suffix, to: damaged + suffix)
            }
            Platform.remove(file + "-shm")
            try move(copy, to: file)
        }
        guard Platform.sync(Platform.directory(of: file)) else {
            throw failure("syncing the folder")
        }
    }

    private func move(_ from: String, to target: String) throws(JournalError) {
        guard Platform.move(from, to: target) else { throw failure("renaming \(from) to \(target)") }
    }

    private func failure(_ doing: String) -> JournalError {
        let code = Platform.lastError
        return JournalError(
            .inputOutput,
            "Replacing the journal after an I/O error failed (\(doing): \(Platform.message(forError: code))).",
            advice: "Nothing is lost; make it possible and open the journal again.", file: file, underlying: code)
    }
}
