extension WriterState {
    /// A checkpoint where it is due.
    mutating func checkpointIfDue() {
        if let database, database.connection.pagesInWAL >= nextCheckpoint { checkpoint() }
    }

    /// PASSIVE, between two commits: inside of COMMIT it makes the slowest commits many times slower. The file is kept and
    /// overwritten, as that is twice as fast as one that grows; it is cut off only when it has grown abnormally.
    /// https://www.sqlite.org/wal.html#ckpt
    mutating func checkpoint() {
        guard let database, file != nil else { return }
        if let displacement {
            _ = ended(displacement)
            return
        }
        // A lock that is gone protects nothing: another writer may be at work on the same WAL.
        guard sidecar?.isInPlace != false else {
            nextCheckpoint = .max
            return
        }
        do throws(DatabaseError) {
            let pages = database.connection.pagesInWAL
            var isDone = try database.connection.checkpoint(.passive)
            if isDone, pages >= options.abnormalPages {
                database.connection.setBusyTimeout(milliseconds: 0)
                defer { database.setBusyTimeout(options.busyTimeout) }
                isDone = try database.connection.checkpoint(.truncate)
            }
            // A reader that stays in the way must not cause a checkpoint at every commit.
            nextCheckpoint = isDone ? options.checkpointPages : pages + options.checkpointPages
        } catch  where error.isBusy {
            nextCheckpoint += options.checkpointPages
        } catch {
            _ = failed(error, while: "copying the WAL into the database")
        }
    }
}
