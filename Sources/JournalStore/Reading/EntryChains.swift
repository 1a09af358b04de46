/// Checks that the entries that a reader lists are those that were committed, in one stream or several.
package struct EntryChains {
    /// How many streams are followed at once. After that, each begins again with a query.
    private static let most = 1_000

    private let reader: JournalReader
    private var chains: [ByteName: Chain] = [:]
    /// The streams with sound rows among those that have sent messages.
    private var senders: Set<ByteName> = []

    package init(_ reader: JournalReader) {
        self.reader = reader
    }

    /// Checks an entry. Those of a stream must come in the order of their steps.
    ///
    /// - Throws: ``JournalError`` with ``JournalError/Code/corrupt`` if the entry was changed, or the one before it is
    ///   missing. The next entry can be checked then.
    package mutating func check(_ entry: Entry) throws(JournalError) {
        if let sender = entry.causeStream { try check(sender: sender) }
        guard var chain = try chain(before: entry) else { return }
        let location = reader.location(entry.stream)
        // Whatever it is, the next entry is chained to it.
        defer {
            chain.follower.skip(to: entry.step, entry.digest)
            chain.step = entry.step
            chains[ByteName(entry.stream)] = chain
        }
        do throws(ChainFollower.Break) {
            try chain.follower.follow(entry.step, .body(of: entry), position: entry.position, entry.stamp)
        } catch {
            // An app can have pruned the entries before it meanwhile.
            if case .missing(let step, _) = error, try reader.stream(entry.stream).prunedStep >= step { return }
            throw error.error(location)
        }
    }

    /// Checks the row that the name of a sender comes from.
    private mutating func check(sender: String) throws(JournalError) {
        guard !senders.contains(ByteName(sender)) else { return }
        _ = try reader.stream(sender)
        if senders.count >= Self.most { senders = [] }
        senders.insert(ByteName(sender))
    }

    private mutating func chain(before entry: Entry) throws(JournalError) -> Chain? {
        // Pruning leaves gaps before its base.
        let name = ByteName(entry.stream)
        if let known = chains[name], known.step + 1 == entry.step || entry.step > known.prunedStep + 1 {
            return known
        }
        if chains.count >= Self.most { chains = [:] }
        let info = try reader.stream(entry.stream)
        let before = entry.step - 1
        do throws(JournalError) {
            return Chain(try reader.chain(of: info, after: before), before, info.prunedStep)
        } catch {
            // Missing entries before it are reported once.
            let next = Chain(ChainFollower(info, after: entry.step, digest: entry.digest), entry.step, info.prunedStep)
            chains[name] = next
            // An app can have pruned it meanwhile.
            if error.code == .noUsableSnapshot { return nil }
            throw error
        }
    }

    private struct Chain {
        var follower: ChainFollower
        var step: Int
        var prunedStep: Int

        init(_ follower: ChainFollower, _ step: Int, _ prunedStep: Int) {
            (self.follower, self.step, self.prunedStep) = (follower, step, prunedStep)
        }
    }
}
