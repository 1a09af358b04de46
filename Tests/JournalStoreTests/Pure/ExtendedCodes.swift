import CJournalSQLite

/// The extended result codes, which are macros that Swift does not import: https://www.sqlite.org/rescode.html
enum Extended {
    static let inputOutputRead = SQLITE_IOERR | 1 << 8
    static let inputOutputWrite = SQLITE_IOERR | 3 << 8
    static let inputOutputSync = SQLITE_IOERR | 4 << 8
    static let inputOutputDelete = SQLITE_IOERR | 10 << 8
    static let inputOutputSharedMemorySize = SQLITE_IOERR | 19 << 8
    static let inputOutputCorrupt = SQLITE_IOERR | 33 << 8
    static let lockedSharedCache = SQLITE_LOCKED | 1 << 8
    static let busyRecovery = SQLITE_BUSY | 1 << 8
    static let busySnapshot = SQLITE_BUSY | 2 << 8
    static let cannotOpenFolder = SQLITE_CANTOPEN | 2 << 8
    static let corruptIndex = SQLITE_CORRUPT | 3 << 8
    static let readOnlyFolder = SQLITE_READONLY | 6 << 8
    static let constraintCheck = SQLITE_CONSTRAINT | 1 << 8
    static let constraintNotNull = SQLITE_CONSTRAINT | 5 << 8
    static let constraintPrimaryKey = SQLITE_CONSTRAINT | 6 << 8
    static let constraintUnique = SQLITE_CONSTRAINT | 8 << 8
    static let constraintType = SQLITE_CONSTRAINT | 12 << 8
}
