import Foundation
import Testing

@testable import JournalReplayKit

/// The objects of a JSON Lines output.
func objects(_ output: String) throws -> [[String: Any]] {
    try output.split(separator: "\n").map { line in
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
}

/// The keys of the first object, in the order in which they are written.
func keys(ofFirstLine output: String) throws -> [String] {
    let object = try #require(try objects(output).first)
    let line = output.prefix { $0 != "\n" }
    return object.keys.sorted { left, right in
        let places = [left, right].map { line.firstRange(of: "\"\($0)\":")?.lowerBound ?? line.endIndex }
        return places[0] < places[1]
    }
}

extension CommandTable {
    static let tool = ReplayTool().table
}
