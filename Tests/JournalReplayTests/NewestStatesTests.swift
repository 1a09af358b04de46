import JournalStore
import Testing
import TortureKit

@testable import JournalReplayKit

@Suite struct `The newest states of streams` {
    @Test func `are passed on before further ones are computed when they are as long as the memory for them`()
        async throws
    {
        let fixture = try Fixture()
        let journal = try fixture.open("many.db", .never)
        let numbers = Array(1...Platform.processors + 4)
        for number in numbers {
            try await journal.openStream("stream \(number)", machine: "fragile").append("\(number)")
        }
        try await journal.close()
        let reader = try JournalReader(path: fixture.path("many.db"))
        let machines = try Machines(own: [ReplayMachine(fragile)], libraries: [])
        let states = NewestStates(reader: reader, machines: machines, children: nil)
        let streams = try reader.streams()
        // Each processor may compute one more.
        let first = await states.map(streams, upTo: 1) { stream, _ in stream.name }
        #expect((1...Platform.processors).contains(first.count))
        #expect(first == streams.prefix(first.count).map(\.name))
        var passed: [String] = []
        try await states.forEach(streams, holding: 1) { _, state in passed.append(try state.get()) }
        #expect(passed == numbers.map(String.init))
    }
}
