/// Opens a journal for writing. Each step can fail with an error of its own, and then leaves the file as it was.
///
/// 1. Check the path and the file without changing them.
/// 2. Acquire the one-writer lock.
/// 3. If the journal stopped at an I/O error: replace the file by a verified, synced copy.
/// 4. Open the database and read its schema.
/// 5. Compare the database with what the last writer acknowledged.
/// 6. Migrate the schema, and take over: increment the epoch.
struct Opening {
    let options: JournalOptions

    struct Opened {
        var database: JournalDatabase
        var sidecar: Sidecar?
        var file: String?
        var identity: FileIdentity?
        var epoch: Int64
        /// The newest transaction.
        var last: Acknowledged
        /// A number that is larger than that of any transaction so far.
        var firstTransaction: Int64
        /// When it was opened.
        var since: Timestamp
        var remains = Remains()
    }

    /// What the previous writer left in the sidecar.
    struct Remains: Sendable {
        /// When it was last known to be alive.
        var lastSeen: Timestamp?
        /// The steps that it was reducing when it ended.
        var reducing: [StepMarks.Mark] = []
    }

    func inMemory() throws(JournalError) -> Opened {
        try JournalError.at(nil, "opening") { () throws(DatabaseError) in
            let database = try JournalDatabase.openForWriting(nil, vfs: nil, busyTimeout: options.busyTimeout)
            let now = options.wallClock()
            try database.prepareForWriting(Migration.all, durability: .normal, at: now, inMemory: true)
            let writer = try database.takeOver(path: "", at: now, process: process)
            return Opened(
                database: database, epoch: writer.epoch, last: Acknowledged(position: 0), firstTransaction: 1,
                since: now)
        }
    }

    func file(_ path: String) throws(JournalError) -> Opened {
        do throws(JournalError) {
            return try openFile(path)
        } catch  where error.advice == JournalError.adviceForNoRoomWhileOpen {
            throw changed(error) { $0.advice = JournalError.adviceForNoRoom }
        }
    }

    private func openFile(_ path: String) throws(JournalError) -> Opened {
        let file = try JournalPath.resolve(path, mayBeMissing: true)
        // A journal of version 0.1.0 can have a longer one.
        let isNew = try JournalPath.status(file, of: file) == nil
        if let tooLong = JournalPath.tooLong(file, adding: isNew ? JournalPath.rescueNameLength : 0) { throw tooLong }
        try JournalPath.checkIsNotReserved(file, onlyIfInUse: true)
        try JournalPath.checkWALHasItsDatabase(file)
        try JournalPath.checkDestroysNoDatabase(file, vfs: options.vfs)
        do throws(JournalError) {
            try JournalPath.checkIsOurs(file, vfs: options.vfs)
            try JournalPath.checkMayBeWritten(file)
            return try openLocked(file)
        } catch  where error.code == .cannotOpen && error.underlying != nil {
            throw Opening.unusable(file, error)
        }
    }

    private func openLocked(_ file: String) throws(JournalError) -> Opened {
        let sidecar = try lock(file)
        guard let mark = sidecar.mark else { throw Opening.foreignSidecar(file) }
        if mark != .clean, try !Rescue.canContinue(file, mark) {
            // The mark stays: the files can come back.
            try refuseMissing(file, sidecar)
            sidecar.mark = .clean
        } else if mark != .clean {
            let damaged = try Rescue(file: file, vfs: options.vfs).run(sidecar) { copy throws(JournalError) in
                try refuseLoss(in: copy, of: file, sidecar)
            }
            options.notify(
                .copiedAfterFailure,
                JournalError(
                    .outcomeUnknown,
                    "The journal had stopped at an I/O error; it was copied to a new file and verified.",
                    advice: "The old file is now \(damaged); check the disk.", file: file))
            // If the process ends before this, the next opening reports it once more.
            sidecar.mark = .clean
        }
        do throws(JournalError) {
            return try open(file, sidecar)
        } catch  where error.code == .busy {
            throw JournalError(
                .busy, error.message,
                advice: "Another program has locked the file, perhaps a sqlite3 shell in a transaction: end it.",
                file: file, underlying: error.underlying)
        }
    }

    private func open(_ file: String, _ sidecar: Sidecar) throws(JournalError) -> Opened {
        try refuseMissing(file, sidecar)
        let database = try use(sidecar, file, "opening") { () throws(DatabaseError) in
            try JournalDatabase.openForWriting(file, vfs: options.vfs, busyTimeout: options.busyTimeout)
        }
        let found = try use(sidecar, file, "reading the schema") { () throws(DatabaseError) in
            try Migrator().find(in: database.connection)
        }
        let pending = try Migrator.pending(for: found, writing: true, file: file)
        guard let identity = try JournalPath.status(file, of: file)?.identity else {
            throw JournalError(
                .cannotOpen, "The file vanished while it was opened.", advice: "Check what removes or renames it.",
                file: file)
        }
        let journal =
            found.isEmpty
            ? nil
            : try use(sidecar, file, "reading the last writer") {
                () throws(DatabaseError) in try database.writerToFollow()
            }
        if let journal { try refuseOtherName(journal, file: file, identity: identity) }
        try compare(database, journal, sidecar, file: file)
        // Before the journal records this path: if this process ends in between, the next opening must not take the
        // sidecar for a new one, nor for one that has lost what it remembered.
        if !sidecar.wasCompared {
            if sidecar.acknowledged == nil { sidecar.acknowledged = Acknowledged(position: 0) }
            sidecar.wasCompared = true
        }

        return try use(sidecar, file, "opening for writing") { () throws(DatabaseError) in
            try database.prepareForWriting(
                pending, durability: options.durability, at: options.wallClock(), inMemory: false)
            // SQLite makes these like the database, but gives them away only if it is root.
            if let access = Platform.fileAccess(ofPath: file) {
                for part in [FileBeside.wal, .shm] { Platform.share(part.path(of: file), like: access) }
            }
            let since = options.wallClock()
            let writer = try database.takeOver(path: file, at: since, process: process)
            let last = try database.lastPosition()
            let before = sidecar.acknowledged
            let stream = before?.stream ?? StreamID(rawValue: 0)
            let newest = Acknowledged(
                position: last, digest: try database.entryDigest(atPosition: last) ?? .none,
                transaction: try database.lastTransaction(of: stream) ?? 0, stream: stream)
            // After all that can fail: the next opening would not find them again.
            // The tool reduces nothing: the next opening of an app reports them.
            let reducing = options.isTool ? [] : sidecar.marks.takeRemains()
            let remains = Remains(lastSeen: sidecar.seen, reducing: reducing)
            sidecar.restart(at: newest)
            sidecar.take(
                Holder(
                    identity: options.identity(), since: since, journal: writer.journal,
                    database: identity, durability: options.durability))
            return Opened(
                database: database, sidecar: sidecar, file: file, identity: identity, epoch: writer.epoch,
                last: newest,
                // Each opening begins a range of numbers, so that none is used again, even if the sidecar is lost.
                firstTransaction: max(writer.epoch << 32, newest.transaction) + 1, since: since,
                remains: remains)
        }
    }

    /// Runs an operation on the locked database. After an I/O error what SQLite reads may not be on the disk, so the
    /// journal counts as stopped: the next opening begins with a rescue. Too little memory says nothing about the disk.
    private func use<Value>(
        _ sidecar: Sidecar, _ file: String, _ doing: String, _ body: () throws(DatabaseError) -> Value
    ) throws(JournalError) -> Value {
        try JournalError.at(file, doing) { () throws(DatabaseError) in
            do throws(DatabaseError) {
                return try body()
            } catch {
                if error.isInputOutput { sidecar.mark = .stopped }
                throw error
            }
        }
    }

    /// What is recorded as the process of an app.
    private var process: Int? { options.isTool ? nil : Int(options.identity().process) }

    // MARK: One writer

    private func lock(_ file: String) throws(JournalError) -> Sidecar {
        // If the holder has released the lock or died, the lock lasts only a moment: another process checks whether it
        // is held, or a child of the holder has not closed its copy of the descriptor yet. So retry.
        var attempts = 0
        while true {
            do throws(LockedFile.Failure) {
                return try Sidecar(besides: file)
            } catch {
                switch error {
                case .held(let contents):
                    let holder = Sidecar.holder(in: contents)
                    if attempts < mostAttempts(with: holder) {
                        attempts += 1
                        Platform.pause(milliseconds: 5)
                        continue
                    }
                    throw Opening.inUse(file, holder, now: options.identity())
                case .foreign:
                    throw Opening.foreignSidecar(file)
                case .system(let doing, let code):
                    throw JournalError.system(
                        .cannotOpen, "\(Sidecar.path(besides: file)) could not be used while \(doing) it",
                        advice: Opening.adviceForLock(code), file: file, number: code)
                }
            }
        }
    }

    private static func adviceForLock(_ code: Int32) -> String {
        if Platform.isOutOfMemory(code) { return "The computer or this process has too little memory. Try again." }
        if Platform.isWithoutLocks(code) {
            return
                "That file carries the journal's lock, and its file system has no locks: put the journal on a local disk."
        }
        return Platform.isWithoutSharedMemory(code)
            ? "That file is mapped into memory, which its file system cannot do: put the journal on a local disk."
            : "That file carries the journal's lock: this user must be able to create and write it."
    }

    /// How often to try again to get a lock that is held.
    private func mostAttempts(with holder: Holder?) -> Int {
        let isMine = holder?.identity == options.identity()
        // 10 s if this process was the holder: on a busy machine its child can take long. Otherwise 1 s.
        guard let holder, holder.isAlive else { return isMine ? 2_000 : 200 }
        // A reader that checks the lock of a process of another container, which may have ended, has it for microseconds.
        return isMine || holder.identity.life == .runs ? 0 : 10
    }

    /// The error of an opening that could not use a file of the journal.
    private static func unusable(_ file: String, _ error: JournalError) -> JournalError {
        let folder = Platform.directory(of: file)
        guard !Platform.isWritable(folder: folder) else {
            guard Platform.hasRoom(in: folder) else { return JournalPath.noInode(for: file, error) }
            guard error.advice == JournalError.adviceForUnusableFile else { return error }
            let advice = "Check that this user may read and write the file, its -wal and its -shm."
            return changed(error) { $0.advice = advice }
        }
        return JournalError(
            .cannotOpen,
            "The folder \(folder) cannot be written, and a journal has a -wal, a -shm and a -lock beside its file.",
            advice: "Make the folder writable for this user, or put the journal in another one.", file: file,
            underlying: error.underlying)
    }

    static func foreignSidecar(_ file: String) -> JournalError {
        if Sidecar.isNewer(besides: file) { return LossCheck.newerSidecar(file, isOpening: true) }
        let lock = Sidecar.path(besides: file)
        return JournalError(
            .cannotOpen, "\(lock) is damaged, or is not the lock file of a journal.",
            advice:
                "It remembers the last acknowledged entry, so it is not overwritten. Run `journal-replay verify` on "
                + "the journal; if this file is the only problem, \(LossCheck.renaming(lock))",
            file: file)
    }

    static func inUse(_ file: String, _ holder: Holder?, now: ProcessIdentity, named name: String? = nil)
        -> JournalError
    {
        let advice =
            name.map { name in
                Platform.status(ofPath: name) == nil
                    ? "Rename it back, or end that process." : "Use the journal under that name, or end that process."
            }
            ?? "A journal has one writing process: wait for that one, or end it. If it is an app, "
            + "`journal-replay cancel`, `retry`, `release` and `skip` act through it. Every command that only reads "
            + "works meanwhile."
        // The file can name the process before the one that has the lock: that one is still opening the journal, or is
        // another program.
        guard let holder, holder.isAlive else {
            return JournalError(
                .inUse, "Another process writes this journal, or has locked \(Sidecar.path(besides: file)).",
                advice: advice, file: file)
        }
        let mine = holder.identity == now
        let place = holder.identity.isInOtherContainer(than: now) ? " in another container" : ""
        let who =
            mine
            ? "This process (\(now.process))"
            : "Process \(holder.identity.process) on \(holder.identity.host)\(place)"
        let under = name.map { " under the name \($0)" } ?? ""
        let own =
            "Share the one that is open, or close it and wait: a store that was only released takes a moment."
        return JournalError(
            .inUse, "\(who) writes this journal\(under), since \(holder.since).", advice: mine ? own : advice,
            file: file)
    }

    /// The lock belongs to the path, so a file that was renamed, or is mounted at two places, has two. Therefore each
    /// writer stores its path in the database, and the lock of that path is checked too.
    private func refuseOtherName(
        _ writer: JournalDatabase.WriterRow, file: String, identity: FileIdentity
    ) throws(JournalError) {
        // A copy that was not opened yet stores no path.
        guard writer.path != file, !writer.path.isEmpty else { return }
        // The other path can be in a folder that this user may not search: then nothing is known of it.
        if Platform.status(ofPath: writer.path) == nil, let error = RenamedJournal.error(writer.path, now: file) {
            throw error
        }
        // The same folder at another place has the lock that this opening has.
        let locks = [file, writer.path].map { Platform.status(ofPath: Sidecar.path(besides: $0))?.identity }
        if locks[0] != locks[1], let holder = try? Sidecar.currentHolder(besides: writer.path),
            holder.database == identity
        {
            throw Opening.inUse(file, holder, now: options.identity(), named: writer.path)
        }
        if let error = RenamedJournal.error(writer.path, now: file) { throw error }
    }

    // MARK: Missing entries

    /// If the file is missing and the sidecar remembers a journal, nothing may be created: SQLite would leave an empty
    /// file.
    private func refuseMissing(_ file: String, _ sidecar: Sidecar) throws(JournalError) {
        guard options.lostEntries != .accept, try JournalPath.status(file, of: file) == nil else { return }
        let verdict = LossCheck.judge(
            sidecar.acknowledged, by: sidecar.holder, now: options.identity(),
            found: LossCheck.JournalEnd(journal: [], lastPosition: 0))
        if let error = LossCheck.error(verdict, file: file) { throw error }
    }

    private func compare(
        _ database: JournalDatabase, _ writer: JournalDatabase.WriterRow?, _ sidecar: Sidecar, file: String
    ) throws(JournalError) {
        let isNew = sidecar.holder == nil && !sidecar.wasCompared
        // A new journal has no writer, and a backup no path.
        if isNew || sidecar.hasForgotten, let writer, !writer.path.isEmpty {
            options.notify(.nothingRemembered, LossCheck.nothingRemembered(file, isNew: isNew))
        }
        let verdict = try verdict(on: database, writer, sidecar, file: file)
        guard let error = LossCheck.error(verdict, file: file) else { return }
        switch verdict {
        case .lost(_, _, excused: true), .lostRecords(excused: true): options.notify(.entriesLost, error)
        default:
            guard options.lostEntries == .accept else { throw error }
            let advice = "It was opened as it is, because the options say so."
            options.notify(.entriesLost, changed(error) { $0.advice = advice })
        }
    }

    private func verdict(
        on database: JournalDatabase, _ writer: JournalDatabase.WriterRow?, _ sidecar: Sidecar, file: String
    ) throws(JournalError) -> LossCheck.Verdict {
        let acknowledged = sidecar.acknowledged
        let found = try use(sidecar, file, "looking for the last acknowledged entry") {
            () throws(DatabaseError) -> LossCheck.JournalEnd in
            guard let writer else { return LossCheck.JournalEnd(journal: [], lastPosition: 0) }
            return LossCheck.JournalEnd(
                journal: writer.journal, lastPosition: try database.lastPosition(),
                digest: try acknowledged.flatMap { last throws(DatabaseError) in
                    try database.entryDigest(atPosition: last.position)
                },
                lastTransaction: try acknowledged.flatMap { last throws(DatabaseError) in
                    try database.lastTransaction(of: last.stream)
                })
        }
        return LossCheck.judge(acknowledged, by: sidecar.holder, now: options.identity(), found: found)
    }

    /// Refuses to put a copy in the journal's place that lacks what was acknowledged: it may be in a WAL that somebody
    /// has moved away, and that belongs to the file only as long as the file is not replaced.
    private func refuseLoss(in copy: String, of file: String, _ sidecar: Sidecar) throws(JournalError) {
        if options.lostEntries == .accept { return }
        let (database, writer) = try use(sidecar, file, "reading the copy") { () throws(DatabaseError) in
            let database = try JournalDatabase.openForReading(copy, vfs: options.vfs)
            let isEmpty = try Migrator().find(in: database.connection).isEmpty
            return (database, isEmpty ? nil : try database.writerToFollow())
        }
        switch try verdict(on: database, writer, sidecar, file: file) {
        case .lost(_, _, excused: true), .lostRecords(excused: true): break
        case let verdict:
            if let error = LossCheck.error(verdict, file: file) { throw error }
        }
    }
}
