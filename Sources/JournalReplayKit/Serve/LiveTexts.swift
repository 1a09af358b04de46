import JournalStore

/// Reads the texts of a live page from the journal, chunk by chunk.
struct LiveTexts: Sendable {
    let reader: JournalReader
    let redaction: Redaction

    /// A chunk shows no further remembered steps when the texts of its effects are as long as this.
    private static let mostBytes = 16 << 20

    /// The texts of the steps of a chunk; nil if there is no such chunk.
    func steps(_ chunk: Int, _ page: LivePage) throws -> [UInt8]? {
        guard let positions = page.read({ $0.positions(ofChunk: chunk) }), let last = positions.last else { return nil }
        var texts = StepTexts(redaction)
        var missing = positions
        var position = (positions.first ?? 1) - 1
        while position < last {
            let read = try EntryPage(reader, after: position, upTo: last, limit: 1_024)
            guard let end = read.entries.last?.position else { break }
            let streams = try ids(read.entries)
            for entry in read.entries {
                // Entries can have been pruned meanwhile.
                while let first = missing.first, first < entry.position {
                    texts.addMissing()
                    missing.removeFirst()
                }
                // One of a stream that the page does not show.
                guard missing.first == entry.position else { continue }
                missing.removeFirst()
                let record = streams[ByteName(entry.stream)].flatMap { read.record(of: entry, $0) }
                texts.add(entry, action: redaction.json(entry.action), record)
            }
            position = end
        }
        for _ in missing { texts.addMissing() }
        return texts.take()
    }

    private func ids(_ entries: [Entry]) throws -> [ByteName: StreamID] {
        var ids: [ByteName: StreamID] = [:]
        for entry in entries where ids[ByteName(entry.stream)] == nil {
            ids[ByteName(entry.stream)] = try reader.stream(entry.stream).id
        }
        return ids
    }

    /// The texts of the effects of a chunk; nil if there is no such chunk.
    func runs(_ chunk: Int, _ page: LivePage) throws -> [UInt8]? {
        guard let runs = page.read({ $0.runs(ofChunk: chunk) }) else { return nil }
        let runTexts = RunTexts(reader: reader, redaction: redaction, listsActs: true)
        var left = LiveTexts.mostBytes
        let texts = try runs.map { place, stream in
            guard
                let run = try reader.effectRun(RunKey(step: place.step, ordinal: place.ordinal), in: stream)
            else { return JSON.object([]) }
            let remembered = try runTexts.remembered(of: [run], bytes: max(0, left)).first ?? RememberedPage()
            let (json, bytes) = try runTexts.texts(of: run, in: stream, remembered)
            left -= bytes
            return json
        }
        return Array(JSON.list(texts).json.utf8)
    }
}
