import Foundation
import JournalStore
import Testing

@testable import JournalReplayKit

/// The real program in a real terminal.
@Suite(.serialized) struct `The screen of a walk` {
    private static let shop = #"""
         shop.db  cart-1                       step 3 of 3  2025-01-01T00:00:08.000000Z
         STEP TIME       ACTION             │ ENTRY of step 3
            1 00:00:05   add item: "Tea", p…│ {
            2 00:00:06   pay                │   "paid": {}
        >   3 00:00:08 e paid               │ }
                                            │
                                            │ Origin    effect 2.0
                                            │ Time      2025-01-01T00:00:08.000000Z
                                            │ Version   1
                                            │ Position  4
                                            │ Digest    DIGEST
                                            │
                                            │ No machine is loaded, so no state is
                                            │ shown: --machine lib….so loads one.
                                            │
                                            │
                                            │
                                            │
                                            │
        EFFECTS of step 3
         3.0  print  failed  3 attempts  no paper\u0007


        ? help  q quit  ↑↓ step  : jump  / search  space play  [] scroll  e effects
        """#

    @Test func `begins with the choice of a stream, if there are several`() async throws {
        let fixture = try Fixture()
        let tmux = try await Tmux()
        try await tmux.enter("$TOOL walk \(try await fixture.shop())")
        try await tmux.wait(toShow: "> cart-1      3  cart")
        try await tmux.press("Down")
        try await tmux.wait(toShow: "> cart-2      2  cart")
        try await tmux.press("/", "c")
        try await tmux.wait(toShow: "Filter: c")
        // Escape with a key right behind it is another key, so wait until it has ended the filter.
        try await tmux.press("Escape")
        try await tmux.wait(toShow: "Enter walk  / filter  q quit  3 streams")
        #expect(try await tmux.screen().contains("> cart-2      2  cart"))
        try await tmux.press("Enter")
        try await tmux.wait(toShow: " shop.db  cart-2")
        try await tmux.press("Escape")
        try await tmux.wait(toShow: "q quits.")
        try await tmux.press("C-d")
        try await tmux.waitForShell()
    }

    @Test func `is drawn, reacts to keys and follows the window size`() async throws {
        let fixture = try Fixture()
        let tmux = try await Tmux()
        try await tmux.enter("$TOOL walk --stream cart-1 \(try await fixture.shop())")
        try await tmux.wait(for: Self.shop)
        try await tmux.press("Up")
        try await tmux.wait(toShow: " 2.1  mail    running    2 attempts  no line\\u0007\n")
        try await tmux.resize(columns: 40, rows: 10)
        try await tmux.wait(
            for: #"""
                 shop.db  cart-1            step 2 of 3
                    1 00:00:05   add item: "Tea", price…
                >   2 00:00:06   pay
                ENTRY of step 2                   1-3/11
                "pay"

                Origin    dispatched
                EFFECTS of step 2: 1 of 2
                 2.0  charge  completed  1 attempt
                ? help  q quit  ↑↓ step  : jump
                """#)
        try await tmux.resize(columns: 20, rows: 5)
        try await tmux.wait(
            for: #"""
                 shop.db  cart-1  2
                >   2   pay
                "pay"

                ? help  q quit
                """#)
        try await tmux.resize(columns: 80, rows: 24)
        try await tmux.press("Down")
        try await tmux.wait(for: Self.shop)
    }

    @Test func `shows the state and the changes by each step if a machine is loaded`() async throws {
        let accounts = try await Fixture().accountsKept()
        let tmux = try await Tmux(environment: ["TOOL": Tool.app])
        try await tmux.enter("$TOOL walk --stream a --at 4 \(accounts.path)")
        try await tmux.wait(toShow: ">   4 ")
        try await tmux.wait(toShow: "│ STATE after step 4\n")
        try await tmux.wait(toShow: "│   \"balance\": 13,\n")
        try await tmux.press("Tab")
        try await tmux.wait(toShow: "│ CHANGES by step 4\n")
        try await tmux.wait(toShow: "│ balance: 10 → 13\n")
        try await tmux.press("Down")
        try await tmux.wait(toShow: "│ balance: 13 → -7\n")
        try await tmux.press("Home")
        try await tmux.wait(toShow: "│ balance: 0 → 10\n")
        try await tmux.press("Tab")
        try await tmux.wait(toShow: "│   \"balance\": 10,\n")
        try await tmux.press("q")
        try await tmux.wait(toShow: "$")
    }

    @Test func `is restored however the walk ends`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 3)
        let tmux = try await Tmux()
        let endings = [
            ("q", 0), ("C-c", 0), ("C-d", 0), ("TERM", 143), ("HUP", 129), ("INT", 130), ("QUIT", 131),
            ("SEGV", 139), ("ILL", 132),
        ]
        for (ending, status) in endings {
            let files = ["before", "after", "pid"].map { fixture.path($0) }
            try await tmux.enter("clear; echo shown before; stty -a > \(files[0])")
            try await tmux.wait(for: "shown before\n$")
            try await tmux.enter(#"bash -c 'echo $$ > \#(files[2]); exec $TOOL walk \#(path)'"#)
            try await tmux.wait(toShow: "step 3 of 3")
            #expect(try await tmux.property("alternate_on") == "1")
            #expect(try await tmux.property("cursor_flag") == "0")
            if status == 0 {
                try await tmux.press(ending)
            } else {
                _ = try await Tool.shell("kill -\(ending) $(cat \(files[2]))")
            }
            try await tmux.waitForShell()
            try await tmux.enter("echo ended $?")
            try await tmux.wait(toShow: "ended \(status)")
            let screen = try await tmux.screen()
            #expect(screen.hasPrefix("shown before\n$ bash -c"))
            #expect(!screen.contains("step 3 of 3"))
            #expect(try await tmux.property("alternate_on") == "0")
            #expect(try await tmux.property("cursor_flag") == "1")
            #expect(try await tmux.property("wrap_flag") == "1")
            try await tmux.enter("stty -a > \(files[1]); clear; echo done")
            try await tmux.wait(for: "done\n$")
            #expect(
                try String(contentsOfFile: files[0], encoding: .utf8)
                    == String(contentsOfFile: files[1], encoding: .utf8))
        }
    }

    @Test func `comes back after Control-Z and fg`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 3)
        let tmux = try await Tmux()
        try await tmux.enter("$TOOL walk \(path)")
        try await tmux.wait(toShow: "step 3 of 3")
        for _ in 0..<3 {
            let walk = try await tmux.screen()
            try await tmux.press("C-z")
            try await tmux.wait(toShow: "Stopped")
            #expect(try await tmux.property("alternate_on") == "0")
            #expect(try await tmux.property("cursor_flag") == "1")
            try await tmux.enter("clear; stty -a | grep -c ' echo '; fg")
            try await tmux.wait(for: walk)
        }
        try await tmux.press("q")
        try await tmux.wait(toShow: "$TOOL walk \(path)\n$")
    }

    @Test func `is restored before an error is reported`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 5_000)
        let tmux = try await Tmux()
        try await tmux.enter("$TOOL walk \(path); echo ended $?")
        try await tmux.wait(toShow: "step 5000 of 5000")
        try fixture.execute("UPDATE entry SET origin = 99", in: path)
        try await tmux.press("1", "9", "0", "0", "Enter")
        try await tmux.wait(toShow: "ended 65")
        let screen = try await tmux.screen()
        #expect(screen.contains("\nError: \(path)"))
        #expect(!screen.contains("STEP"))
        #expect(try await tmux.property("alternate_on") == "0")
    }

    @Test(arguments: [
        ("", "", true), ("", "NO_COLOR=1", false), ("--color never", "", false), ("--color always", "NO_COLOR=1", true),
    ])
    func `has colours only if they are enabled, and always marks the selected step`(
        option: String, variable: String, hasColours: Bool
    ) async throws {
        let fixture = try Fixture()
        let path = try await fixture.shop()
        let tmux = try await Tmux()
        try await tmux.enter("\(variable) $TOOL walk \(option) --stream cart-1 \(path)")
        try await tmux.wait(toShow: ">   3")
        let screen = try await tmux.screen(withColours: true)
        #expect(screen.contains("\u{1B}[31m") == hasColours)
        #expect(screen.contains("\u{1B}[2m") == hasColours)
        #expect(screen.contains("\u{1B}[7m>   3"))
    }

    @Test func `shows steps that an app adds meanwhile`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        let stream = try await journal.openStream("cart", machine: "cart")
        try await stream.append(#""first""#)
        let tmux = try await Tmux()
        try await tmux.enter("$TOOL walk \(fixture.path("shop.db"))")
        try await tmux.wait(toShow: ">   1 00:00:03   first")
        try await stream.append(#""second""#)
        try await tmux.wait(toShow: "    2 00:00:04   second")
        try await tmux.press("G")
        try await tmux.wait(toShow: ">   2 00:00:04   second")
        try await journal.close()
    }

    @Test func `finds, jumps and plays`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 3_000)
        let tmux = try await Tmux()
        try await tmux.enter("$TOOL walk \(path)")
        try await tmux.wait(toShow: "step 3000 of 3000")
        try await tmux.press("/", ":", "1", "7", "0", "0", "Enter")
        try await tmux.wait(toShow: "step 1700 of 3000")
        #expect(try await tmux.screen().hasSuffix("Continued from the beginning."))
        try await tmux.press(":", "2", "9", "9", "8")
        try await tmux.wait(toShow: "Step: 2998")
        #expect(try await tmux.property("cursor_flag") == "1")
        try await tmux.press("Enter", "Space", "+", "+", "+")
        try await tmux.wait(toShow: "This is the last step.")
        #expect(try await tmux.screen().contains("step 3000 of 3000"))
    }

    @Test func `keeps its columns whatever they contain`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        let stream = try await journal.openStream("カート", machine: "cart")
        try await stream.append(#"{"add":{"item":"家家家家家家家家家家家家家家家家家家家家家家家家家家"}}"#)
        try await stream.append("{\"add\":{\"item\":\"😀👍🏽👨‍👩‍👧 cafe\u{301} \u{1B}[2J\u{202E}\"}}")
        try await journal.close()
        let tmux = try await Tmux()
        try await tmux.enter("$TOOL walk \(fixture.path("shop.db"))")
        try await tmux.wait(toShow: "step 2 of 2")
        let lines = try await tmux.screen().split(separator: "\n")
        for line in lines.dropFirst().prefix(18) {
            let left = line.prefix { $0 != "│" }
            #expect(DisplayWidth.of(String(left)) == 36, "\(line)")
        }
    }
}

@Suite struct `A walk without a screen` {
    @Test func `is refused, and names the alternatives`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 1)
        let result = try await Tool.run("walk", path)
        #expect(result.status == 64)
        #expect(result.output == "")
        #expect(result.error.hasPrefix("Error: 'walk' needs a terminal to read keys and draw: `log` lists the steps, "))
        let json = try await Tool.run("walk", "--json", path)
        #expect(json.status == 64)
        #expect(json.error.hasPrefix("Error: Unknown option '--json'."))
    }

    @Test(arguments: [
        ("TERM=dumb $TOOL walk", "TERM does not name one"), ("env -u TERM $TOOL walk", "TERM does not name one"),
        ("$TOOL walk < /dev/null", "needs a terminal to read"), ("$TOOL walk | cat", "needs a terminal to read"),
        ("$TOOL walk --stream other", "There is no such stream"),
    ])
    func `is refused if the terminal or the stream cannot be used`(line: String, reason: String) async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 1)
        let tmux = try await Tmux(columns: 200)
        try await tmux.enter(
            "FILE=\(path); set -o pipefail; clear; \(line.replacing("walk", with: "walk $FILE")); echo ended $?")
        try await tmux.wait(toShow: reason)
        try await tmux.wait(toShow: "ended 6")
    }
}
