import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `A word in a command of an advice` {
    @Test(arguments: [
        ("shop.db", "shop.db"), ("/home/ann/shop.db", "/home/ann/shop.db"), ("order-17", "order-17"), ("", "''"),
        ("my shop.db", "'my shop.db'"), ("x; rm", "'x; rm'"), ("it's", #"'it'\''s'"#), ("$HOME", "'$HOME'"),
        ("~", "'~'"), ("`a`", "'`a`'"), ("家", "'家'"), ("a\nb", "'a\nb'"), ("!", "'!'"), ("''", #"''\'''\'''"#),
    ])
    func `is quoted only if the shell would read it as something else`(word: String, quoted: String) async throws {
        #expect(ShellWord.quoted(word) == quoted)
        #expect(try await Tool.shell("printf %s " + ShellWord.quoted(word)).output == word)
    }

    @Test func `names the file and the stream of an effect that cannot be decoded`() async throws {
        let fixture = try Fixture()
        let path = fixture.path("my shop.db")
        let machine = Machine<Int, Int, Void>("waits", initialState: 0) { _, _, _ in
            .after(.seconds(3600), 2, name: "later")
        }
        let journal = try fixture.open("my shop.db", .never)
        try await journal.open(machine, stream: "x; rm").dispatch(1)
        try await journal.close()
        try fixture.change(#"UPDATE effect_run SET sends = '{"gone":{}}'"#, in: path)
        let again = try Journal(path: path)
        let error = await #expect(throws: JournalError.self) { _ = try await again.open(machine, stream: "x; rm") }
        try await again.close()
        #expect(
            error?.advice.hasSuffix("Or cancel it: `journal-replay cancel '\(path)' 1.0 --stream='x; rm'`.") == true,
            "\(error?.description ?? "")")
    }
}
