import Testing

@testable import JournalReplayKit

@Suite struct `The width of a text` {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("café", 4), ("cafe\u{301}", 4), ("家", 2), ("ｆｕｌｌ", 8), ("한글", 4),
        ("\u{1112}\u{1161}\u{11AB}", 2),
        ("😀", 2), ("👨‍👩‍👧", 2), ("👍🏽", 2), ("🇩🇪", 2), ("❤️", 2), ("→…·│", 4), ("a\u{200B}b", 2), ("क्षि", 3), ("ไทย", 3),
    ])
    func `is the number of columns that it takes`(text: String, width: Int) {
        #expect(DisplayWidth.of(text) == width)
    }

    @Test(arguments: [
        ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("abc", 1, "…"), ("abc", 0, ""), ("", 3, ""), ("家家", 4, "家家"),
        ("家家家", 4, "家…"), ("家家家", 5, "家家…"), ("cafe\u{301}s", 5, "cafe\u{301}s"), ("abc", -1, ""),
    ])
    func `is limited by clipping`(text: String, width: Int, clipped: String) {
        #expect(DisplayWidth.clip(text, to: width) == clipped)
    }

    @Test(arguments: [("ab", 4, "ab  "), ("家家家", 4, "家… "), ("abcde", 4, "abc…"), ("", 0, "")])
    func `is made exact by clipping or padding`(text: String, width: Int, fitted: String) {
        #expect(DisplayWidth.fit(text, to: width) == fitted)
    }

    @Test(arguments: [
        ("abcdef", 4, ["abcd", "ef"]), ("", 4, [""]), ("家家家", 4, ["家家", "家"]), ("a家家", 4, ["a家", "家"]),
        ("家家", 1, ["家", "家"]), ("abc", 0, ["abc"]), ("abcd", 4, ["abcd"]),
    ])
    func `is limited by wrapping`(text: String, width: Int, lines: [String]) {
        #expect(DisplayWidth.wrap(text, to: width) == lines)
    }
}
