/// The released shapes of the schema, in order. Their text stands in `migrations/`, embedded at build.
package struct Migration: Hashable, Sendable {
    package var number: Int
    package var name: String
    package var sql: String

    /// Finds a migration that was edited after a file was made with it.
    var digest: Digest { Digest(of: sql) }

    init(number: Int, name: String, bytes: [UInt8]) {
        self.number = number
        self.name = name
        sql = String(decoding: bytes, as: UTF8.self)
    }

    package static let all: [Migration] = [
        Migration(number: 1, name: "0001_journal", bytes: PackageResources._001_journal_sql)
    ]
}
