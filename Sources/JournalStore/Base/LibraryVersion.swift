/// The version of the library. Each opening by an app records it, so that a journal tells which versions wrote it.
package enum LibraryVersion {
    package static let text = "0.2.0-dev"
}
