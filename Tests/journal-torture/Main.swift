@main
struct JournalReplay {
    static func main() {}
}
