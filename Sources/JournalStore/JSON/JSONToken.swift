/// A value or a key of a scanned text.
///
/// Tokens are in the order of the text: an object is followed by its keys and values in turn, an array by its elements.
package struct JSONToken: BitwiseCopyable {
    package enum Kind: UInt8, BitwiseCopyable {
        case null, yes, no
        /// Digits with an optional sign, without fraction and exponent.
        case whole
        case number
        case text, object, array
    }

    struct Traits: OptionSet {
        let rawValue: UInt8
        /// A string contains an escape, or an object has a key that does.
        static let escaped = Traits(rawValue: 1)
        /// A string contains a character outside ASCII, or an object has a key that does.
        static let wide = Traits(rawValue: 2)
        /// An object's keys do not ascend byte by byte: a key may occur twice.
        static let unsorted = Traits(rawValue: 4)
    }

    var kind: Kind
    var traits: Traits = []
    /// The offset in the text, for a string after its quote. For an object, the key token that was found last, or the
    /// first one.
    var start: UInt32
    /// The length in bytes; for an object or array, the number of its members or elements.
    var count: UInt32
    /// The token after this value and its contents.
    var next: UInt32
    /// The token of the enclosing container; the root is its own parent.
    var parent: UInt32
    /// The index in an array. In an object, the key is the token before this one.
    var index: UInt32
}
