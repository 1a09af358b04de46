import Foundation
import Testing

@Suite struct `The page of errors and notices` {
    @Test(arguments: ["JournalError", "Notice"]) func `lists each code and each kind`(type: String) throws {
        func read(_ path: String) throws -> String {
            try String(contentsOf: Document.root.appendingPathComponent(path), encoding: .utf8)
        }
        let page = try read("docs/errors.md")
        let names = try read("Sources/JournalStore/Model/\(type).swift").matches(of: /Self\(rawValue: "([a-z-]+)"\)/)
            .map { String($0.output.1) }
        #expect(names.count > 20)
        for name in names { #expect(page.contains("`\(name)`"), "\(name)") }
    }
}
