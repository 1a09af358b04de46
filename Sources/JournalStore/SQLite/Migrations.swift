/// One version of the schema. The SQL is in `migrations/` and is embedded at build.
package struct Migration: Hashable, Sendable {
    package var number: Int
    package var name: String
    package let sql: String
    /// Detects a migration that was edited after a file was made with it. Computed once, as every opening compares it.
    let digest: Digest

    init(number: Int, name: String, bytes: [UInt8]) {
        self.number = number
        self.name = name
        sql = String(decoding: bytes, as: UTF8.self)
        digest = Digest(of: sql)
    }

    package static let all: [Migration] = [
        Migration(number: 1, name: "0001_journal", bytes: PackageResources._001_journal_sql)
    ]
}
