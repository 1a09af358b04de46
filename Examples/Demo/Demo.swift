import JournalStore

/// A shop that is killed: appends actions to the stream of a cart and says each step once it is committed, until it is
/// killed. Started again, it goes on where it was.
@main
struct Demo {
    static func main() async throws {
        let path = CommandLine.arguments.dropFirst().first ?? "shop.db"
        let journal = try Journal(path: path)
        let cart = try await journal.openStream("cart-42", machine: "cart")

        let head = try journal.reader.stream("cart-42").headStep
        if let newest = try journal.reader.entries(in: "cart-42", limit: 1, .backwards).first {
            print("found \(head) steps; the newest is \(newest.action)")
        } else {
            print("a new journal")
        }
        let items = ["apple", "pear", "plum"]
        var count = head
        while true {
            let action = #"{"add":{"count":\#(count % 5 + 1),"item":"\#(items[count % 3])"}}"#
            let appended = try await cart.append(action)
            // Said only now: what is said here is on the disk.
            print("step \(appended.step) \(action)")
            count += 1
        }
    }
}
