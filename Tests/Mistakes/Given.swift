// What each program of this folder has. scripts/mistakes compiles each together with this file.

struct Load: Codable, Sendable, Equatable {
    var text = ""
    var count = 0
}

enum LoadAction: Codable, Sendable, Equatable {
    case start, failed
    case done(String)
}

struct Web: Sendable {
    var load: @Sendable (_ key: String) async throws -> String
}
