#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The names of the computer's users.
package enum UserName {
    /// The user that this process acts as.
    package static var current: String { of(geteuid()) }

    /// The number of the user that this process acts as.
    static var number: UInt32 { geteuid() }

    /// The name of a user, or the number if it has no name.
    static func of(_ number: UInt32) -> String {
        // The name is in the buffer, so it is read while that exists.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            guard let address = buffer.baseAddress,
                getpwuid_r(uid_t(number), &entry, address, buffer.count, &found) == 0, found != nil,
                let name = entry.pw_name
            else { return "\(number)" }
            return String(cString: name)
        }
    }
}
