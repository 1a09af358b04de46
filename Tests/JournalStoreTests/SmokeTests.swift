import Testing
import JournalStore

@Test func smoke() async throws {
    let path = "/tmp/smoke-\(UInt32.random(in: 0...UInt32.max)).db"
    let journal = try Journal(path: path)
    let s = try await journal.openStream("cart-42", machine: "cart")
    for i in 0..<10 { print(try await s.append(#"{"add":{"n":\#(i)}}"#)) }
    try await s.saveSnapshot("{}", at: 5)
    print(try await journal.verify())
    do { _ = try Journal(path: path); Issue.record() } catch { print(error) }
    try await journal.backup(to: path + ".backup")
    try await journal.close()
    print(try JournalReader(path: path).statistics())
    let again = try Journal(path: path)
    print(try again.reader.entries(in: "cart-42", limit: 2))
    print(path)
}
