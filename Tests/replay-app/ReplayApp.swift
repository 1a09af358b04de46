import JournalReplayKit
import JournalStore
import TortureKit

/// An app that carries the tool inside itself, with its machines.
@main
struct ReplayApp {
    static func main() async {
        await ReplayTool(program: "replay-app", machines: [ReplayMachine(account), ReplayMachine(shuffled)]).main()
    }
}
