import JournalStore
import Testing
import TortureKit

@Suite struct `Law 2, one order` {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [Execution.inPlace, .ownThread])
    func `appends from many tasks get steps without gaps or duplicates`(_ execution: Execution) async throws {
        let journal = try openJournal(folder.path("a.db")) {
            $0.durability = .normal
            $0.execution = execution
        }
        let streams = [
            try await journal.openStream("a", machine: "m"), try await journal.openStream("b", machine: "m"),
        ]
        let tasks = 32
        let each = 50
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    var last = 0
                    for number in 0..<each {
                        let appended = try await streams[task % 2].append("[\(task),\(number)]")
                        // A task's own appends keep their order.
                        #expect(appended.step > last)
                        last = appended.step
                    }
                }
            }
            try await group.waitForAll()
        }
        var seen: Set<String> = []
        for stream in streams {
            let entries = try journal.reader.entries(in: stream.name, limit: 10_000)
            #expect(entries.map(\.step) == Array(1...tasks * each / 2))
            #expect(entries.map(\.position) == entries.map(\.position).sorted())
            seen.formUnion(entries.map(\.action))
        }
        #expect(seen.count == tasks * each)
        let all = try journal.reader.entries(after: 0, limit: 10_000)
        #expect(all.map(\.position) == Array(1...tasks * each))
        #expect(try await journal.verify().isSound)
        try await journal.close()
    }

    @Test func `an entry records its origin and its cause`() async throws {
        let path = folder.path("a.db")
        let journal = try Journal(path: path)
        let shop = try await journal.openStream("shop", machine: "shop")
        let bank = try await journal.openStream("bank", machine: "bank")
        _ = try await journal.commit(
            Batch(entries: [
                NewEntry(stream: shop.id, action: #"{"pay":{}}"#),
                NewEntry(stream: shop.id, action: #"{"paid":{}}"#, origin: .effect, cause: Cause(step: 1, run: 0)),
                NewEntry(stream: shop.id, action: #""resumed""#, origin: .restart, cause: Cause(step: 1, run: 0)),
                NewEntry(stream: bank.id, action: "7", origin: .machine, cause: Cause(stream: shop.id, step: 2)),
            ]))
        let entries = try journal.reader.entries(after: 0, limit: 10)
        #expect(entries.map(\.origin) == [.dispatched, .effect, .restart, .machine])
        #expect(entries.map(\.causeStep) == [nil, 1, 1, 2])
        #expect(entries.map(\.causeOrdinal) == [nil, 0, 0, nil])
        #expect(entries.map(\.causeStream) == [nil, nil, nil, "shop"])
        #expect(
            try Shell(path, readOnly: true)("SELECT stream, step, name, origin, cause FROM journal") == [
                "shop|1|pay|dispatched|", "shop|2|paid|effect|step 1, effect 0",
                "shop|3|resumed|restart|step 1, effect 0", "bank|1||machine|shop step 2",
            ])
        #expect(try await journal.verify().isSound)
    }

    @Test func `the actions of one append get consecutive steps`() async throws {
        let journal = try Journal.inMemory()
        let stream = try await journal.openStream("a", machine: "m")
        async let one = stream.append(contentsOf: (0..<100).map { "[1,\($0)]" })
        async let two = stream.append(contentsOf: (0..<100).map { "[2,\($0)]" })
        let steps = try await [one, two].map { $0.map(\.step) }
        for part in steps { #expect(part == Array(part[0]..<part[0] + 100)) }
        #expect(try await stream.append(contentsOf: []).isEmpty)
    }
}
