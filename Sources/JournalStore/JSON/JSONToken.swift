/// One value or one key of a text that was looked through.
///
/// Tokens stand in the order of the text: behind an object its keys and values in turn, behind an array its elements.
struct JSONToken {
    enum Kind: UInt8 {
        case null, yes, no
        /// Digits, perhaps with a sign: no point and no exponent.
        case whole
        case number
        case text, object, array
    }

    struct Traits: OptionSet {
        let rawValue: UInt8
        /// A text has escapes, an object a key that has.
        static let escaped = Traits(rawValue: 1)
        /// A text has a character beyond ASCII, an object a key that has.
        static let wide = Traits(rawValue: 2)
        /// An object's keys do not ascend byte by byte: one may be there twice.
        static let unsorted = Traits(rawValue: 4)
    }

    var kind: Kind
    var traits: Traits = []
    /// Where it begins in the text; of a text, behind the quote. Of an object, the key that is asked for next, perhaps.
    var start: UInt32
    /// The length in bytes; of an object the number of its members, of an array of its elements.
    var count: UInt32
    /// The token behind it and all that is in it.
    var next: UInt32
    /// The container it is in; of the whole, itself.
    var parent: UInt32
    /// Its place in an array. In an object its key stands before it.
    var index: UInt32
}
