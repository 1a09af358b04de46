import Foundation

/// A page that the tool wrote.
enum PageFile {
    /// All data of a page as text, decompressed.
    static func data(_ path: String) throws -> String {
        let start = "<script type=\"application/octet-stream\""
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let chunks = text.components(separatedBy: start).dropFirst().map { element -> [UInt8] in
            let content = element.drop { $0 != ">" }.dropFirst().prefix { $0 != "<" }
            return Data(base64Encoded: String(content)).flatMap { Inflate.decompress(Array($0)) } ?? []
        }
        guard !chunks.isEmpty, chunks.allSatisfy({ !$0.isEmpty }) else {
            throw Fixture.Failure(message: "The page has no data.")
        }
        return String(decoding: Array(chunks.joined(separator: [0x0A])), as: UTF8.self)
    }
}
