import JournalStore

/// The content of the journal that a kill left.
struct CrashSight: Sendable {
    /// A line for each row of the journal that affects what follows, for comparison.
    var lines: [String]
    var description = "the journal was empty"
    /// The effects that may start at most once and were under way.
    var interrupted: [EffectRun] = []
}

/// A moment at which the process is killed.
struct CrashCut: Sendable {
    let image: CrashImage
    let sight: CrashSight

    /// Equal for cuts that continue in the same way: with the same journal, chronicle and time.
    var content: String {
        (sight.lines + image.chronicle.lines + ["\(image.time)"]).joined(separator: "\n")
    }
}

extension CrashMatrix {
    /// Reads the journals that kills would leave.
    func cuts(_ images: [CrashImage], in folder: JournalFolder) throws -> [CrashCut] {
        var cuts: [CrashCut] = []
        for image in images {
            // Most moments lie between two commits and have the same journal as the one before.
            if let last = cuts.last, last.image.hasSameJournal(as: image) {
                cuts.append(CrashCut(image: image, sight: last.sight))
            } else {
                cuts.append(CrashCut(image: image, sight: try look(at: image, in: folder)))
            }
        }
        return cuts
    }

    private func look(at image: CrashImage, in folder: JournalFolder) throws -> CrashSight {
        try folder.put(image.files)
        let reader = try JournalReader(path: folder.journal)
        // The row of the writer has the random name of the journal, which differs between runs.
        var sight = CrashSight(lines: try reader.lines().filter { !$0.hasPrefix("writer|") })
        guard let info = try reader.streams().first(where: { $0.name == stream }) else { return sight }
        let last = try reader.entries(in: stream, limit: 1, direction: .backwards).first
        let live = try reader.liveRuns(in: stream)
        sight.description =
            "the journal ended with step \(info.headStep)\(last.map { " (\(name(of: $0)))" } ?? "")"
            + ", settled up to \(info.settledStep)"
        if !live.isEmpty {
            sight.description +=
                "; under way: " + live.map { "'\($0.name)' \($0.status.rawValue)" }.joined(separator: ", ")
        }
        sight.interrupted = live.filter { run in
            run.restart != .resume && (run.status == .running || run.status == .delayed && run.attempts > 0)
        }
        return sight
    }
}
