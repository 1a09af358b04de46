import JournalReplayKit

@main
enum JournalReplay {
    static func main() async { await ReplayTool().main() }
}
