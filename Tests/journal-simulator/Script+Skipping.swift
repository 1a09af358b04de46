import JournalStore

extension Script {
    /// An operator skips a step whose outcome is not recorded, before its stream is opened.
    func skip(in name: String, _ journal: Journal) async {
        observe()
        guard let info = try? journal.reader.stream(name), info.settledStep < info.headStep,
            info.headStep == life.model.head(of: name)
        else { return }
        let step = info.settledStep + 1 + choices.next(info.headStep - info.settledStep)
        guard !life.model.isSkipped(name, step) else { return }
        life.model.mayBeSkipped(name, step)
        guard await attempt("skip step \(step) of \(name)", { try await journal.skip(step, in: name) }) else { return }
        // Not left to the next reading, because a fault can make the journal unreadable.
        life.model.skipped(name, step)
        life.count("skipped step")
    }
}
