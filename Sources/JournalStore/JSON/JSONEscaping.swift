/// Which characters of a string are escaped besides those that JSON requires, and how.
///
/// The formats differ because digests cover the coder's texts, and a journal's records and exports must not change.
package enum JSONEscaping {
    /// As Foundation escapes: each control character with its short escape if JSON has one.
    case coder
    /// The list of effects in a step's record: no control character has a short escape.
    case record
    /// An export: only a line feed has a short escape. Characters that are unsafe on a terminal are escaped.
    case export
    /// The tool's output: as in an export, with a short escape also for a carriage return and a tab.
    case terminal

    /// The letter of a control character's short escape.
    func letter(_ control: UInt8) -> UInt8? {
        switch (control, self) {
        case (0x0A, .coder), (0x0A, .export), (0x0A, .terminal): UInt8(ascii: "n")
        case (0x0D, .coder), (0x0D, .terminal): UInt8(ascii: "r")
        case (0x09, .coder), (0x09, .terminal): UInt8(ascii: "t")
        case (0x08, .coder): UInt8(ascii: "b")
        case (0x0C, .coder): UInt8(ascii: "f")
        default: nil
        }
    }

    var isSafe: Bool { self == .export || self == .terminal }
}

extension Unicode.Scalar {
    /// Whether it is a control character, or an invisible character that reorders text or breaks lines:
    /// https://trojansource.codes
    var isUnsafe: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
