import Testing
import TortureKit

@testable import JournalReplayKit

@Suite struct `The data of a page` {
    static let texts: [(what: String, bytes: [UInt8])] = {
        var random = SplitMix(seed: 7)
        func bytes(_ count: Int, _ range: ClosedRange<UInt8>) -> [UInt8] {
            (0..<count).map { _ in UInt8.random(in: range, using: &random) }
        }
        let block = bytes(20_000, 0...255)
        return [
            ("nothing", []), ("a byte", [200]), ("three bytes", [1, 2, 3]), ("all bytes", Array(0...255)),
            ("a run of a byte", Array(repeating: 7, count: 100_000)), ("a run of 258", Array(repeating: 7, count: 259)),
            ("random bytes", bytes(50_000, 0...255)), ("four letters", bytes(50_000, 97...100)),
            ("a repetition at 20,000", block + block),
            ("one that is too far away", block + block.reversed() + block + block),
            ("JSON", Array((0..<3_000).map { "{\"add\":{\"_0\":\($0)}}" }.joined(separator: ",").utf8)),
        ]
    }()

    @Test(arguments: texts.indices) func `compressed data is what it was`(index: Int) {
        let (what, bytes) = Self.texts[index]
        #expect(Inflate.decompress(Deflate.compress(bytes)) == bytes, "\(what)")
    }

    @Test func `repetitions make compressed data small`() {
        let json = Array((0..<3_000).map { "{\"add\":{\"_0\":\($0)}}" }.joined(separator: ",").utf8)
        #expect(Deflate.compress(json).count < json.count / 3)
        #expect(Deflate.compress(Array(repeating: 7, count: 100_000)).count < 1_000)
    }

    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("\u{FF}\u{FE}", "w7/Dvg=="),
    ])
    func `base64 is that of RFC 4648`(text: String, encoded: String) {
        #expect(String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self) == encoded)
    }

    @Test func `columns hold any number`() {
        var columns = PageColumns(2)
        columns.append([0, -1])
        columns.append([63, .max])
        columns.append([64, .min])
        #expect(columns.count == 3)
        // Three rows; four bytes and 21; each number has its sign in the lowest bit.
        let most = [UInt8](repeating: 0xFF, count: 8)
        var expected: [UInt8] = [6, 8, 0, 126, 0x80, 1, 42, 1]
        expected += [0xFE] + most + [1]
        expected += [0xFF] + most + [1]
        #expect(columns.take() == expected)
        #expect(columns.count == 0)
    }

    @Test func `a histogram counts each time once, however far the times are apart`() {
        var histogram = TimeHistogram()
        let times: [Int64] = [5_000, 5_999, 6_000, 516_999, 517_000, 4_000, 90_000_000_000, .max, .min]
        for time in times { histogram.add(time) }
        #expect(histogram.counts.reduce(0, +) == times.count)
        #expect(histogram.first == 5_000)
        #expect(histogram.counts[0] == times.count - 1)
        var near = TimeHistogram()
        for time in times.prefix(4) { near.add(time) }
        #expect(near.width == 1_000)
        #expect([near.counts[0], near.counts[1], near.counts[511]] == [2, 1, 1])
        near.add(517_000)
        #expect(near.width == 2_000)
        #expect([near.counts[0], near.counts[255], near.counts[256]] == [3, 1, 1])
    }

    @Test func `names are counted, and too many share one number`() {
        var names = PageNames()
        #expect(["a", "b", "a", nil, ""].map { names.number(of: $0) } == [1, 2, 1, 0, 0])
        #expect(names.counts == [2, 2, 1])
        for number in 0..<5_000 { _ = names.number(of: "n\(number)") }
        #expect(names.names.count == 4_096)
        #expect(names.number(of: "n4999") == 0)
        #expect(names.number(of: "n0") == 3)
    }

    @Test func `the newest steps are counted over all streams`() {
        var newest = NewestSteps(3)
        for (step, stream) in [(1, 0), (1, 1), (2, 0), (3, 0), (2, 1)] { newest.add(step, of: stream) }
        #expect(newest.oldest == [0: 2, 1: 2])
        var none = NewestSteps(0)
        none.add(1, of: 0)
        #expect(none.oldest.isEmpty)
    }

    @Test(arguments: [
        (#"{"a":1}"#, #"{"a":1}"#, "[]"),
        (#"{"a":1,"b":2}"#, #"{"b":3,"c":null}"#, #"[[["a"]],[["b"],3],[["c"],null]]"#),
        (#"{"a":[1,2,3]}"#, #"{"a":[1,5]}"#, #"[[["a"],null,2],[["a",1],5]]"#),
        (#"[[1],{}]"#, #"[[1,2],{},0]"#, #"[[[0,1],2],[[2],0]]"#),
        (#"1"#, #"1.0"#, "[[[],1.0]]"), (#"{"a":1}"#, "[]", "[[[],[]]]"),
        (#"{"a":1,"a":2}"#, #"{"a":1,"a":3}"#, #"[[[],{"a":1,"a":3}]]"#),
    ])
    func `a difference between states names what changed`(old: String, new: String, operations: String) throws {
        let delta = StateDelta(from: try #require(JSON(old)), to: try #require(JSON(new)))
        #expect(JSON.list(delta.operations).json == operations)
    }

    /// The same text with one scalar and with two. Swift's strings are equal, those of the page are not.
    @Test func `a difference between states tells texts apart that only look the same`() throws {
        let (one, two) = ("\u{E9}", "e\u{301}")
        let cases = [
            (#"{"a":"\#(one)"}"#, #"{"a":"\#(two)"}"#, #"[[["a"],"\#(two)"]]"#),
            (#"["\#(one)"]"#, #"["\#(two)"]"#, #"[[[0],"\#(two)"]]"#),
            (#"{"\#(one)":1}"#, #"{"\#(two)":1}"#, #"[[["\#(one)"]],[["\#(two)"],1]]"#),
            (#"{"\#(one)":1,"\#(two)":2}"#, #"{"\#(one)":1,"\#(two)":3}"#, #"[[["\#(two)"],3]]"#),
        ]
        for (old, new, operations) in cases {
            let delta = StateDelta(from: try #require(JSON(old)), to: try #require(JSON(new)))
            #expect(Array(JSON.list(delta.operations).json.utf8) == Array(operations.utf8), "\(operations)")
        }
    }
}
