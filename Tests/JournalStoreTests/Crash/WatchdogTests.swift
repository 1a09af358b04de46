import Testing
import TortureKit

/// The torture run says where it hangs.
@Suite struct `A watchdog` {
    @Test func `says what has made no progress`() async {
        let said = Box("")
        repeat {
            let hung = Signal()
            let watchdog = Watchdog(limit: .seconds(1)) { message in
                said.change { $0 = message }
                hung.send()
            }
            watchdog.begins("kill 7, seed 1")
            await hung.wait()
            withExtendedLifetime(watchdog) {}
            // On a busy machine the second can be over before the activity begins.
        } while said.value.hasSuffix(" s: starting.")
        #expect(said.value.hasPrefix("No progress for "))
        #expect(said.value.hasSuffix(" s: kill 7, seed 1."))
    }
}
