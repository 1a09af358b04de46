import JournalStore

extension Output {
    /// Warns of states of older code: see ``JournalReader/noteOfOlderCode(at:of:than:)``. One warning is enough for
    /// several states.
    func warn(
        ofOlderCodeAt states: [(step: Int, usesSnapshots: Bool)], of stream: String, _ session: any ReplaySession,
        _ reader: JournalReader
    ) throws {
        if let note = try reader.noteOfOlderCode(at: states, of: stream, than: session.version) { warning(note) }
    }
}
