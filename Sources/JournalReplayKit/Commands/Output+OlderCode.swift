import JournalStore

extension Output {
    /// Warns of what older code computed: see ``JournalReader/noteOfOlderCode(at:of:than:)``. One warning is enough for
    /// several steps.
    ///
    /// - Parameter without: the steps that the states are computed without.
    func warn(
        ofOlderCodeAt steps: [(step: Int, part: ShownPart)], without: [Int], of stream: String,
        _ session: any ReplaySession, _ reader: JournalReader
    ) throws {
        let last = steps.map(\.step).max() ?? 0
        let note =
            try reader.noteOfOlderCode(at: last, without: without, of: stream, than: session.version)
            ?? reader.noteOfOlderCode(at: steps, of: stream, than: session.version)
        if let note { warning(note) }
    }
}
