import Testing

@testable import JournalStore

@Suite struct `Pure, a watched value` {
    @Test func `a quiet change wakes no task, and is seen at the next one`() async {
        let watched = Watched([0])
        let checks = Watched(0)
        let waiting = Task {
            await watched.wait { values in
                checks.change { $0 += 1 }
                return values.count > 3 ? values : nil
            }
        }
        // The second check is the one that leads to the wait.
        _ = await checks.wait { $0 == 2 ? true : nil }
        for number in 1...3 { watched.changeQuietly { $0.append(number) } }
        watched.wake()
        #expect(await waiting.value == [0, 1, 2, 3])
        #expect(checks.read { $0 } == 3)
    }
}
