import JournalStore

extension Output {
    /// Warns of states of older code: see ``JournalReader/noteOfOlderCode(at:of:than:)``. One warning is enough for
    /// several states.
    ///
    /// - Parameter without: the steps that the states are computed without.
    func warn(
        ofOlderCodeAt states: [(step: Int, usesSnapshots: Bool)], without: [Int], of stream: String,
        _ session: any ReplaySession, _ reader: JournalReader
    ) throws {
        let last = states.map(\.step).max() ?? 0
        let note =
            try reader.noteOfOlderCode(at: last, without: without, of: stream, than: session.version)
            ?? reader.noteOfOlderCode(at: states, of: stream, than: session.version)
        if let note { warning(note) }
    }
}
