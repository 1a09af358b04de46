import Foundation
import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `A word in a command of an advice` {
    @Test(arguments: [
        ("shop.db", "shop.db"), ("/home/ann/shop.db", "/home/ann/shop.db"), ("order-17", "order-17"), ("", "''"),
        ("my shop.db", "'my shop.db'"), ("x; rm", "'x; rm'"), ("it's", #"'it'\''s'"#), ("$HOME", "'$HOME'"),
        ("~", "'~'"), ("`a`", "'`a`'"), ("家", "'家'"), ("!", "'!'"), ("''", #"''\'''\'''"#),
        ("'\u{301}", #"''\''"# + "\u{301}'"),
    ])
    func `is quoted only if the shell would read it as something else`(word: String, quoted: String) async throws {
        #expect(ShellWord.quoted(word) == quoted)
        #expect(try await Tool.shell("printf %s " + ShellWord.quoted(word)).output == word)
    }

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/bash")),
        arguments: [
            ("a\nb", #"$'a\nb'"#), ("it's\n", #"$'it\'s\n'"#), (#"a\n"# + "\n", #"$'a\\n\n'"#),
            ("\u{1B}7", #"$'\0337'"#), ("家\t", #"$'家\011'"#), ("\u{202E}x", #"$'\342\200\256x'"#),
        ])
    func `has escapes for what is unsafe on a terminal`(word: String, quoted: String) async throws {
        #expect(ShellWord.quoted(word) == quoted)
        #expect(SafeText.escape(quoted) == quoted, "nothing is escaped again")
        let line = "printf %s " + ShellWord.quoted(word)
        #expect(try await Tool.run(program: "/bin/bash", ["-c", line]).output == word)
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
