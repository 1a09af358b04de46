import Testing

@testable import JournalStore

@Suite struct `Machine, values by the path of a step` {
    private func tree(_ paths: String...) -> StepTree<Int> {
        var tree = StepTree<Int>()
        for path in paths { tree.change(path, default: 0) { $0 += 1 } }
        return tree
    }

    @Test func `a path keeps its value, and has none before`() {
        let tree = tree("", "/a/1", "/a/1")
        #expect(tree[""] == 1)
        #expect(tree["/a/1"] == 2)
        #expect(tree["/a/2"] == nil)
        #expect(tree.count == 2)
    }

    @Test func `to drop a path drops those below it, and no others`() {
        var tree = tree("", "/a/1", "/a/1/b/1", "/a/1/b/1/c/2", "/a/10", "/a/10/b/1", "//1", "//1//1")
        tree.drop("/a/1")
        #expect(tree.count == 5)
        #expect(tree["/a/1/b/1/c/2"] == nil)
        #expect(tree["/a/10/b/1"] == 1)
        tree.drop("//1")
        #expect(tree.count == 3)
        #expect(tree[""] == 1)
    }

    @Test func `a path below one without a value is dropped with that`() {
        var tree = tree("/a/1/b/1/c/1", "/x/1/b/1")
        tree.drop("/a/1")
        #expect(tree.count == 1)
        tree.drop("/x/1/b/1")
        tree.drop("/x/1")
        #expect(tree.count == 0)
    }

    @Test func `a path that was dropped can be used again, and dropped again`() {
        var tree = tree("/a/1/b/1")
        for _ in 1...2 {
            tree.drop("/a/1")
            #expect(tree.count == 0)
            tree.change("/a/1/b/1", default: 0) { $0 += 1 }
            #expect(tree["/a/1/b/1"] == 1)
        }
    }
}
