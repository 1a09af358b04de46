#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension JournalError: LocalizedError {
    /// The description, so that `localizedDescription` says what happened, and what to do.
    public var errorDescription: String? { description }
}
