/// Replaces a journal that stopped at an I/O error by a copy that is known to be on the disk.
///
/// After a failed fsync the page cache can show what the disk never got, and a later fsync can succeed. So nothing in
/// the old file counts as durable: what can be read is copied, verified and synced. The old file stays next to the new
/// one. After a crash at any moment, the mark in the sidecar tells the next opening to continue.
/// https://www.sqlite.org/howtocorrupt.html
struct Rescue {
    let file: String
    let vfs: String?

    private var copy: String { FileBeside.salvage.path(of: file) }

    /// The n-th damaged file that was set aside for a journal, n from 1 on. Earlier ones are never overwritten.
    static func damagedName(_ file: String, _ number: Int) -> String {
        FileBeside.damaged.path(of: file) + (number == 1 ? "" : "-\(number)")
    }

    /// Whether there is a file to copy, or a copy to put in its place.
    static func canContinue(_ file: String, _ mark: Sidecar.Mark) throws(JournalError) -> Bool {
        let rescue = Rescue(file: file, vfs: nil)
        if try rescue.exists(file) { return true }
        if mark != .copyReady { return false }
        return try rescue.exists(rescue.copy)
    }

    /// The caller cleans the mark when it has reported the name.
    ///
    /// - Parameter check: refuses the copy; then everything stays as it is.
    /// - Returns: the name that the damaged file has now.
    func run(_ sidecar: Sidecar, _ check: (_ copy: String) throws(JournalError) -> Void) throws(JournalError) -> String
    {
        if try mustCopy(sidecar) {
            if let error = JournalPath.tooLong(file, adding: JournalPath.rescueNameLength) {
                let advice = "Then it can be copied: it stopped at an I/O error. Move it with its -wal and its -lock."
                throw changed(error) { $0.advice += " \(advice)" }
            }
            try makeCopy()
            do throws(JournalError) { try check(copy) } catch {
                Platform.remove(copy)
                throw error
            }
            // A power loss must not leave only the mark.
            try syncFolder()
            guard sidecar.setAndSync(.copyReady) else {
                let code = Platform.lastError
                // A power loss could take the mark, and then nothing tells of the moves that follow.
                sidecar.mark = .stopped
                throw failure("noting in \(Sidecar.path(besides: file)) that the copy is ready", code)
            }
        }
        return try replace()
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

    /// Whether there is no copy yet; or the mark says that there is one, but it is missing, and was not put in the
    /// journal's place either.
    private func mustCopy(_ sidecar: Sidecar) throws(JournalError) -> Bool {
        if sidecar.mark == .stopped { return true }
        guard sidecar.mark == .copyReady, try !exists(copy), let found = try JournalPath.status(file, of: file) else {
            return false
        }
        if found.identity == sidecar.holder?.database { return true }
        return try !exists(Rescue.damagedName(file, 1))
    }

    /// Puts the copy in the journal's place. A part that an earlier opening has done is skipped. The WAL is moved
    /// first: SQLite would apply an old WAL to the new database.
    private func replace() throws(JournalError) -> String {
        // If an earlier opening has moved the WAL, a reader can have made an empty one since.
        let wal = FileBeside.wal.path(of: file)
        let hasWAL = (try JournalPath.status(wal, of: file)?.size ?? 0) > 0
        var taken = 0
        while try isTaken(taken + 1, withWAL: hasWAL) { taken += 1 }
        let (hasCopy, hasFile) = (try exists(copy), try exists(file))
        // If the journal has no file, an earlier opening has set it aside already.
        let isMoved = !hasCopy || !hasFile
        let damaged = Rescue.damagedName(file, isMoved ? max(1, taken) : taken + 1)
        if hasCopy {
            if hasWAL { try move(wal, to: FileBeside.wal.path(of: damaged)) } else { Platform.remove(wal) }
            // A power loss must not undo this move and keep the next ones.
            try syncFolder()
            if hasFile { try move(file, to: damaged) }
            Platform.remove(FileBeside.shm.path(of: file))
            try move(copy, to: file)
        }
        try syncFolder()
        return damaged
    }

    /// Whether a damaged file, or the WAL of one, has this number already.
    private func isTaken(_ number: Int, withWAL hasWAL: Bool) throws(JournalError) -> Bool {
        let name = Rescue.damagedName(file, number)
        if try exists(name) { return true }
        guard hasWAL else { return false }
        return try exists(FileBeside.wal.path(of: name))
    }

    private func exists(_ path: String) throws(JournalError) -> Bool {
        try JournalPath.status(path, of: file) != nil
    }

    private func syncFolder() throws(JournalError) {
        guard Platform.sync(Platform.directory(of: file)) else { throw failure("syncing the folder") }
    }

    private func move(_ from: String, to target: String) throws(JournalError) {
        guard Platform.move(from, to: target) else { throw failure("renaming \(from) to \(target)") }
    }

    private func failure(_ doing: String, _ number: Int32 = Platform.lastError) -> JournalError {
        let error = JournalError.system(
            .inputOutput, "Replacing the journal after an I/O error failed while \(doing)",
            advice: "Check the rights and the free space of the folder.", file: file, number: number)
        return changed(error) { $0.advice += " Nothing is lost: the next opening of the journal continues there." }
    }
}
