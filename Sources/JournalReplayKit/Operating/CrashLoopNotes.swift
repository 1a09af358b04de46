import JournalStore

/// Remarks about listed effects that a crash loop holds back: their statuses do not tell.
struct CrashLoopNotes {
    /// The streams of listed effects that an opening would restore, and that could crash the process.
    private var streams: Set<ByteName> = []

    private static let most = 5

    mutating func add(_ page: [ListedRun]) {
        for listed in page where listed.run.kind == .effect {
            if listed.run.status.continuesAfterRestart { streams.insert(ByteName(listed.stream)) }
        }
    }

    /// - Parameter stream: The only stream; nil for all.
    func write(of stream: String?, _ reader: JournalReader, to output: Output) throws(Output.Failure) {
        guard !output.isJSON, !streams.isEmpty else { return }
        // The list is right without it, so a damaged row of another stream is no reason to fail.
        guard let found = try? reader.crashLoops(of: stream) else { return }
        // The present opening of an app counts, although it may become stable. If it is not known whether there is one,
        // a stream is rather named.
        let isHeld = (try? reader.file.flatMap { try JournalHolder(of: $0) }) != nil
        let least = CrashLoop.usualLimit + (isHeld ? 1 : 0)
        let loops = found.filter { $0.openings >= least && streams.contains(ByteName($0.stream)) }
        for loop in loops.prefix(Self.most) { try output.note(text(loop, reader)) }
        if loops.count > Self.most {
            try output.note("Crash loop as well: \(Quantity.grouped(loops.count - Self.most)) other streams.")
        }
    }

    private func text(_ loop: CrashLoop, _ reader: JournalReader) -> String {
        var text =
            "Crash loop of the stream '\(loop.stream)': none of its last \(Quantity.grouped(loop.openings)) openings "
            + "has become stable. Effects that an opening restores are held back, then started in groups, whatever "
            + "their status is here, unless the app sets another `crashLoopLimit`."
        let file = ShellWord.quoted(reader.file ?? "FILE")
        let stream = ShellWord.quoted(loop.stream)
        guard let suspects = loop.suspects else {
            return text + " Find out what ends the process; an effect that does it is found and parked, and listed by "
                + "`\(ToolName.standard.text) effects \(file) --stream=\(stream) --status=parked`."
                + " If it is the reducer, the step is one of those of "
                + "`\(ToolName.standard.text) log \(file) --stream=\(stream) --outcome=unsettled`."
        }
        let (first, last) = (suspects.lowerBound, suspects.upperBound)
        text += first == last ? " The suspect is effect \(first)" : " The suspects are the effects \(first) to \(last)"
        return text + ". If one of them ends the process, correct it, or cancel it: "
            + "`\(ToolName.standard.text) cancel \(file) --stream=\(stream) \(first == last ? "\(first)" : "EFFECT")`. "
            + "A single suspect is parked if it goes on like this."
    }
}
