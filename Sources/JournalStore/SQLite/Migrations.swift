internal import CJournalSchema

/// One version of the schema. The SQL is in `migrations/` and is embedded at build.
package struct Migration: Hashable, Sendable {
    package var number: Int
    package var name: String
    package let sql: String
    /// Detects a migration that was edited after a file was made with it. Computed once, as every opening compares it.
    let digest: Digest

    init(number: Int, name: String, sql: String) {
        self.number = number
        self.name = name
        self.sql = sql
        digest = Digest(of: sql)
    }

    package static let all: [Migration] = [
        Migration(number: 1, name: "0001_journal", sql: String(cString: schema_0001_journal()))
    ]
}
