import Testing

@testable import JournalStore

@Suite struct `Machine, uses of a step's name` {
    private var uses = StepUses()

    private mutating func take(_ names: String..., in path: String = "") -> [Int] {
        names.map { uses.take($0, in: path).use }
    }

    @Test mutating func `the uses of each name are counted from one`() {
        #expect(take("a", "b", "a", "a", "b") == [1, 1, 2, 3, 2])
    }

    @Test mutating func `the uses in each path are counted separately`() {
        #expect(take("a", "a") == [1, 2])
        #expect(take("a", "a", in: "/a/1") == [1, 2])
        #expect(take("a", in: "/a/2") == [1])
        #expect(take("a") == [3])
    }

    @Test mutating func `a path contains the enclosing steps, each with its number`() {
        let outer = uses.take("order", in: "")
        let second = uses.take("order", in: "")
        let inner = uses.take("item", in: second.inside)
        #expect(outer.inside == "/order/1")
        #expect(inner.path == "/order/2")
        #expect(inner.inside == "/order/2/item/1")
    }

    @Test(arguments: [
        ("a/b", "/a~1b/1"), ("a~b", "/a~0b/1"), ("~1", "/~01/1"), ("/", "/~1/1"), ("", "//1"), ("é 🎈", "/é 🎈/1"),
    ])
    func `a name in a path is escaped as in a JSON pointer, so that paths are unique`(
        _ name: String, _ path: String
    ) {
        var uses = StepUses()
        #expect(uses.take(name, in: "").inside == path)
    }

    @Test mutating func `a use that is returned is taken again, the lowest first`() {
        let keys = (1...4).map { _ in uses.take("a", in: "") }
        uses.giveBack(keys[2])
        uses.giveBack(keys[0])
        #expect(take("a", "a", "a") == [1, 3, 5])
    }

    @Test mutating func `a use that is returned is not taken by another name or path`() {
        let key = uses.take("a", in: "")
        _ = take("b")
        _ = take("a", in: "/x/1")
        uses.giveBack(key)
        #expect(take("b") == [2])
        #expect(take("a", in: "/x/1") == [2])
        #expect(take("a") == [1])
    }

    @Test mutating func `returning a use resets all uses inside it`() {
        let outer = uses.take("a", in: "")
        let inner = uses.take("b", in: outer.inside)
        let deepest = uses.take("c", in: inner.inside)
        uses.giveBack(deepest)
        _ = uses.take("b", in: outer.inside)
        uses.giveBack(outer)
        #expect(uses.take("a", in: "") == outer)
        #expect(uses.take("b", in: outer.inside) == inner)
        #expect(uses.take("c", in: inner.inside) == deepest)
        #expect(uses.take("c", in: inner.inside).use == 2)
    }

    @Test mutating func `returning a use keeps the uses inside another one, also if its path has the same prefix`() {
        let first = uses.take("a", in: "")
        for _ in 2...9 { _ = uses.take("a", in: "") }
        let tenth = uses.take("a", in: "")
        _ = uses.take("b", in: tenth.inside)
        uses.giveBack(first)
        #expect(uses.take("b", in: tenth.inside).use == 2)
    }
}
