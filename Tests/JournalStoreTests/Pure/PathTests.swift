import Foundation
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Pure, paths` {
    let folder: TemporaryFolder
    /// The folder's path without links: on some systems the path of the temporary folder contains one.
    let root: String

    init() throws {
        folder = try TemporaryFolder()
        root = try #require(Platform.resolve(folder.path))
    }

    private func make(_ name: String) throws {
        try Data().write(to: URL(fileURLWithPath: folder.path(name)))
    }

    private func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
    }

    private func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: target)
    }

    private func resolved(_ name: String) -> String? {
        Platform.resolve(folder.path(name))
    }

    // MARK: Resolving

    @Test func `the path of an existing file resolves to one name`() throws {
        try make("j.db")
        #expect(resolved("j.db") == root + "/j.db")
        #expect(resolved("./j.db") == root + "/j.db")
        #expect(resolved("/j.db") == root + "/j.db")
    }

    @Test func `the path of a file that does not exist yet resolves to one name`() throws {
        try makeFolder("a")
        #expect(resolved("j.db") == root + "/j.db")
        #expect(resolved("a/../j.db") == root + "/j.db")
        #expect(resolved("a/./j.db") == root + "/a/j.db")
    }

    @Test func `a relative path is resolved in the working directory`() throws {
        let here = try #require(Platform.resolve(FileManager.default.currentDirectoryPath))
        let name = "missing-\(UUID().uuidString)"
        #expect(Platform.resolve(name) == here + "/" + name)
        #expect(Platform.resolve("./" + name) == here + "/" + name)
        #expect(Platform.resolve(".") == here)
        #expect(Platform.resolve("../" + name) == Platform.directory(of: here) + "/" + name)
    }

    @Test func `a link resolves to its file, whether its target is absolute, relative or a link`() throws {
        try makeFolder("a")
        try make("a/j.db")
        try link("relative", to: "a/j.db")
        try link("absolute", to: folder.path("a/j.db"))
        try link("second", to: "relative")
        try link("b", to: "a")
        for name in ["relative", "absolute", "second", "b/j.db"] { #expect(resolved(name) == root + "/a/j.db") }
    }

    @Test func `a link to a file that does not exist yet resolves to that file`() throws {
        try makeFolder("a")
        try link("relative", to: "a/new.db")
        try link("absolute", to: folder.path("a/new.db"))
        try link("second", to: "relative")
        try link("beside", to: "new.db")
        try link("a/up", to: "../new.db")
        try link("b", to: "a")
        for name in ["relative", "absolute", "second", "b/new.db"] { #expect(resolved(name) == root + "/a/new.db") }
        for name in ["beside", "a/up", "b/up"] { #expect(resolved(name) == root + "/new.db") }
    }

    @Test func `a name can begin with a combining character, which joins the slash before it`() throws {
        try makeFolder("a")
        try link("link", to: "\u{301}new.db")
        #expect(resolved("\u{301}new.db") == root + "/\u{301}new.db")
        #expect(resolved("a/\u{301}new.db") == root + "/a/\u{301}new.db")
        #expect(resolved("link") == root + "/\u{301}new.db")
    }

    @Test func `a path in a missing folder does not resolve`() throws {
        try link("loose", to: "missing/new.db")
        #expect(resolved("missing/j.db") == nil)
        #expect(Platform.lastError == Platform.noSuchFile)
        #expect(resolved("loose") == nil)
        #expect(Platform.lastError == Platform.noSuchFile)
        #expect(resolved("missing/") == nil)
    }

    @Test func `links that form a cycle do not resolve`() throws {
        try link("one", to: "two")
        try link("two", to: "one")
        try link("self", to: "self")
        #expect(resolved("one") == nil)
        #expect(resolved("self") == nil)
        #expect(resolved("self/j.db") == nil)
    }

    @Test func `a path below a file does not resolve`() throws {
        try make("j.db")
        #expect(resolved("j.db/k.db") == nil)
    }

    @Test func `a path in the root folder begins with a single slash`() {
        let name = "missing-\(UUID().uuidString)"
        #expect(Platform.resolve("/" + name) == "/" + name)
        #expect(Platform.resolve("/") == "/")
    }

    // MARK: Components

    @Test(arguments: [
        ("/a/b", "/a", "b"), ("/a", "/", "a"), ("/", "/", ""), ("a", ".", "a"), ("a/b", "a", "b"), ("a/b/", "a/b", ""),
        ("", ".", ""), ("/a/\u{301}b", "/a", "\u{301}b"), ("/\u{FE0F}b", "/", "\u{FE0F}b"),
        ("\u{301}b", ".", "\u{301}b"),
    ])
    func `a path is split into its folder and its name`(_ path: String, _ directory: String, _ name: String) {
        #expect(Platform.directory(of: path) == directory)
        #expect(Platform.name(of: path) == name)
    }

    // MARK: Identity

    @Test func `a file is identified by its device and inode, not by its name`() throws {
        try make("j.db")
        try link("link", to: "j.db")
        try FileManager.default.linkItem(atPath: folder.path("j.db"), toPath: folder.path("second"))
        try make("other")
        let file = try #require(Platform.status(ofPath: folder.path("j.db")))
        #expect(file.links == 2)
        #expect(file.kind == .regular)
        #expect(Platform.status(ofPath: folder.path("link"))?.identity == file.identity)
        #expect(Platform.status(ofPath: folder.path("second"))?.identity == file.identity)
        #expect(Platform.status(ofPath: folder.path("other"))?.identity != file.identity)
        #expect(Platform.status(ofPath: folder.path)?.kind == .directory)
        #expect(Platform.status(ofPath: "/dev/null")?.kind == .other)
        #expect(Platform.status(ofPath: folder.path("missing")) == nil)
    }

    @Test(arguments: Platform.FreeNameMethod.allCases)
    func `a finished file gets its name only if that is free, also without hard links`(
        _ method: Platform.FreeNameMethod
    ) throws {
        let folder = try TemporaryFolder()
        let (from, target) = (folder.path("from"), folder.path("target"))
        try Data("new".utf8).write(to: URL(fileURLWithPath: from))
        #expect(Platform.moveToFreeName(from, target, methods: [method]))
        #expect(try bytes(target) == Data("new".utf8))
        #expect(Platform.status(ofPath: target)?.links == 1)
        #expect(Platform.status(ofPath: from) == nil)

        try Data("newer".utf8).write(to: URL(fileURLWithPath: from))
        #expect(!Platform.moveToFreeName(from, target, methods: [method]))
        #expect(Platform.lastError == Platform.fileExists)
        #expect(try bytes(target) == Data("new".utf8))
        #expect(try bytes(from) == Data("newer".utf8))
    }

    // MARK: Files beside a journal

    @Test func `a damaged file belongs to its journal, with and without a number`() {
        for end in ["", "-2", "-17"] { #expect(FileBeside.damaged.journal(of: "/a/j.db-damaged" + end) == "/a/j.db") }
        for end in ["-", "-x", "-2x", "2", "-2-wal"] {
            #expect(FileBeside.damaged.journal(of: "/a/j.db-damaged" + end) == nil)
        }
        #expect(FileBeside.wal.journal(of: "/a/j.db-2") == nil)
    }
}
