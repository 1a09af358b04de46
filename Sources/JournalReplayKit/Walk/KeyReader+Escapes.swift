// The sequences that xterm and compatible terminals send for keys without a character.
// https://invisible-island.net/xterm/ctlseqs/ctlseqs.html#h2-PC-Style-Function-Keys

extension KeyReader {
    static func decodeEscape(_ bytes: ArraySlice<UInt8>) -> Decoded {
        let rest = bytes.dropFirst()
        switch rest.first.map(Unicode.Scalar.init) {
        case nil: return .incomplete
        case "[": return decodeControlSequence(rest.dropFirst())
        case "O": return decodeApplicationKey(rest.dropFirst())
        // Control-C after Escape, in one read if the program was busy, must still end it.
        case "\u{1B}", "\u{3}": return .bytes(1, .escape)
        default:
            // Alt with a key: ignored, so that it does not do what the key does alone.
            guard case .bytes(let count, _) = decode(rest) else { return .incomplete }
            return .bytes(1 + count, nil)
        }
    }

    /// Decodes what follows `ESC [`: numbers separated by semicolons, ended by a letter.
    private static func decodeControlSequence(_ bytes: ArraySlice<UInt8>) -> Decoded {
        // The Linux console sends its function keys as `ESC [ [ A`.
        if bytes.first == UInt8(ascii: "[") { return bytes.count > 1 ? .bytes(4, nil) : .incomplete }
        let parameters = bytes.prefix { (0x20...0x3F).contains($0) }
        guard let last = bytes.dropFirst(parameters.count).first else { return .incomplete }
        // Something else begins before the sequence ends.
        guard (0x40...0x7E).contains(last) else { return .bytes(2 + parameters.count, nil) }
        return .bytes(3 + parameters.count, key(String(decoding: parameters, as: UTF8.self), Unicode.Scalar(last)))
    }

    /// Decodes what follows `ESC O`, which keys send in application mode.
    private static func decodeApplicationKey(_ bytes: ArraySlice<UInt8>) -> Decoded {
        guard let letter = bytes.first else { return .incomplete }
        return .bytes(3, letter == UInt8(ascii: "M") ? .enter : key("", Unicode.Scalar(letter)))
    }

    private static func key(_ parameters: String, _ letter: Unicode.Scalar) -> KeyPress? {
        // The second number is the modifier: 2 is Shift.
        let numbers = parameters.split(separator: ";", omittingEmptySubsequences: false)
        let hasShift = numbers.count > 1 && numbers[1] == "2"
        switch letter {
        case "A": return hasShift ? .shiftUp : .up
        case "B": return hasShift ? .shiftDown : .down
        case "a": return .shiftUp
        case "b": return .shiftDown
        case "C": return .right
        case "D": return .left
        case "H": return .home
        case "F": return .end
        case "Z": return .tab
        case "~":
            switch numbers.first {
            case "1", "7": return .home
            case "3": return .delete
            case "4", "8": return .end
            case "5": return .pageUp
            case "6": return .pageDown
            default: return nil
            }
        default: return nil
        }
    }
}
