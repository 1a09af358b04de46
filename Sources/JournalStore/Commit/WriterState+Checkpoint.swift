extension WriterState {
    /// Runs a checkpoint if one is due.
    mutating func checkpointIfDue() {
        if let database, database.connection.pagesInWAL >= nextCheckpoint { checkpoint() }
    }

    /// Runs a PASSIVE checkpoint between two commits: inside COMMIT it makes the slowest commits many times slower.
    /// The WAL is kept and overwritten, twice as fast as a WAL that grows; it is truncated only if abnormally large.
    /// https://www.sqlite.org/wal.html#ckpt
    mutating func checkpoint() {
        guard let database, file != nil else { return }
        if let displacement {
            _ = stopped(displacement)
            return
        }
        guard isInPlace, sidecar?.isInPlace != false else { return }
        do throws(DatabaseError) {
            let pages = database.connection.pagesInWAL
            var isDone = try database.connection.checkpoint(.passive)
            // A reader holds it up. What it will add to the file must not be missing when the WAL has filled the disk.
            if !isDone { database.connection.reserveRoom(pages: options.checkpointPages) }
            if pages >= options.abnormalPages && (isDone || isTimeToWait(at: pages)) || mustTruncate && isDone {
                if !isDone { waitedAtPages = pages }
                database.connection.setBusyTimeout(milliseconds: isDone ? 0 : 50)
                defer { database.setBusyTimeout(options.busyTimeout) }
                isDone = try database.connection.checkpoint(.truncate)
                if isDone { mustTruncate = false }
            }
            if isDone {
                waitedAtPages = 0
                names?.noteSize()
            }
            // A reader that blocks checkpoints must not cause one at every commit.
            nextCheckpoint = isDone ? options.checkpointPages : pages + pagesToNextTry
        } catch  where error.isBusy {
            nextCheckpoint = database.connection.pagesInWAL + pagesToNextTry
        } catch {
            _ = failed(error, while: "copying the WAL into the database", isTransaction: false)
        }
    }

    /// After how many pages to try again what a reader has held up: soon if the WAL has filled the disk.
    private var pagesToNextTry: Int { mustTruncate ? min(options.checkpointPages, 20) : options.checkpointPages }

    /// Whether to wait for the readers of the moment: once for each ``JournalOptions/abnormalPages`` in the WAL, as one
    /// of them can be a long read. Short reads that overlap never let a PASSIVE checkpoint copy all pages.
    /// https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files
    private func isTimeToWait(at pages: Int) -> Bool {
        pages / options.abnormalPages > waitedAtPages / options.abnormalPages
    }
}
