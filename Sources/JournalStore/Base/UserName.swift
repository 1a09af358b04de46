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
        var buffer = [CChar](repeating: 0, count: 4096)
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        guard getpwuid_r(uid_t(number), &entry, &buffer, buffer.count, &found) == 0, let name = found?.pointee.pw_name
        else { return "\(number)" }
        return String(cString: name)
    }
}
