import Testing

@testable import JournalStore

@Suite struct `Pure, described values` {
    @Test(arguments: [Int.min, -1, 0, 5]) func `a line is broken wherever it can be if the width is too small`(
        _ width: Int
    ) {
        #expect(ValueDescription(of: [1, 2], width: width).description == "[\n    1,\n    2\n]")
        #expect(ValueDescription(of: 1, width: width).description == "1")
    }

    @Test(arguments: [6, Int.max]) func `a line that fits the width is not broken`(_ width: Int) {
        #expect(ValueDescription(of: [1, 2], width: width).description == "[1, 2]")
    }
}
