import JournalStore

/// The library, used as an app uses it. Every function runs on the concurrent pool, as an app's tasks do.
struct Library: Sendable {
    static let streamName = "stream"

    let journal: Journal
    let stream: JournalStream

    @concurrent
    init(_ path: String, durability: Durability) async throws {
        var options = Journal.Options()
        options.durability = durability
        journal = try Journal(path: path, options: options)
        stream = try await journal.openStream(Library.streamName, machine: StoreLibrary.machine.name)
    }

    /// One commit for each entry.
    @concurrent
    func append(_ payloads: Payloads, count: Int) async throws {
        for step in 0..<count { try await stream.append(payloads[step]) }
    }

    /// Each task waits for its own entry before it appends the next; the library decides which entries share a commit.
    @concurrent
    func append(_ payloads: Payloads, tasks: Int, each count: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    for step in 0..<count { try await stream.append(payloads[task * count + step]) }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Appends many entries in each call.
    @concurrent
    func append(_ payloads: Payloads, transactions: Int, of entries: Int) async throws {
        for number in 0..<transactions { try await stream.append(contentsOf: payloads.batch(number, of: entries)) }
    }

    /// Reads all entries, page by page, and returns their number.
    @concurrent
    func read(pagesOf limit: Int) async throws -> Int {
        var count = 0
        while true {
            let page = try journal.reader.entries(in: Library.streamName, from: count + 1, limit: limit)
            if page.isEmpty { return count }
            count += page.count
        }
    }

    @concurrent
    func close() async throws {
        try await stream.close()
        try await journal.close()
    }
}
