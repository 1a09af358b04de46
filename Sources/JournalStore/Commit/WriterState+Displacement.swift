/// A journal whose files were moved, replaced or deleted while it was open.
extension WriterState {
    /// Whether the paths lead to the open files, as far as is known.
    var isInPlace: Bool { lookAtNames() == .inPlace }

    /// The error if the paths do not lead to the open files any more.
    var displacement: JournalError? { displacement(lookAtNames()) ?? lockDisplacement }

    func lookAtNames() -> FileNames.Finding {
        names?.look { size in database?.connection.isWhole(walOfSize: size) ?? true } ?? .inPlace
    }

    /// The error if the lock file was deleted or replaced. Another writer may be using the same WAL, and what is
    /// acknowledged from now on would be remembered in a file without a name.
    private var lockDisplacement: JournalError? {
        guard let file, sidecar?.isDisplaced == true else { return nil }
        return fenced(
            "\(Sidecar.path(besides: file)) was deleted or replaced while it was open.",
            "It carries the journal's lock: leave it alone. Open the journal again.")
    }

    func displacement(_ finding: FileNames.Finding) -> JournalError? {
        let advice =
            "If it was moved, move it back. Then open it again. Do not rename, link or replace a journal that an app "
            + "has open."
        switch finding {
        case .inPlace, .unknown: return nil
        case .moved: return fenced("The file was moved or replaced while it was open.", advice)
        case .linked:
            return fenced(
                "The file was given a second name while it was open.",
                "Remove all names but one, then open it again. Do not link a journal: back it up.")
        case .truncated:
            // Also a copy of another file onto it, or a VACUUM.
            return fenced(
                "The file was cut off, overwritten or rewritten while it was open.",
                "Leave the files of an open journal alone. Restore a backup if `journal-replay verify` finds damage.")
        case .withoutWAL:
            return fenced(
                "\(names?.wal ?? "") was deleted while it was open; the newest entries were in it.",
                "Put it back if you can, and open the journal again.")
        case .truncatedWAL:
            // A checkpoint would copy zeros over good pages.
            return fenced(
                "\(names?.wal ?? "") was truncated while it was open; the newest entries were in it.",
                "Leave the files of an open journal alone. Put back what was cut off if you can, and open the journal "
                    + "again.")
        case .withoutSHM:
            return fenced(
                "\(names?.shm ?? "") was deleted while it was open: other programs do not see the newest entries.",
                // While this process has another connection, a new one would use the deleted file as well.
                "No entry is lost. End all programs that have the journal open, also this one, and start them again.")
        }
    }

    /// The error if the names of the files cannot be looked up; the journal stops. If it went on, it would refuse what
    /// effects send in the meantime, and effects that have done their work would count as failed.
    mutating func unreachable(_ code: Int32) -> JournalError {
        guard Platform.kind(ofError: code) == .noAccess else {
            return failed(.system(code, during: "stat"), while: "looking for its files")
        }
        return stopped(
            fenced(
                "The path of the file cannot be looked up any more (\(Platform.message(forError: code))).",
                "Check that this user may use the folders of the path. Then open the journal again."))
    }

    func fenced(_ message: String, _ advice: String) -> JournalError {
        JournalError(.fenced, message, advice: advice, file: file)
    }
}
