/// The number of terminal columns that a text takes.
enum DisplayWidth {
    static func of(_ text: String) -> Int {
        isASCII(text) ? text.utf8.count : text.reduce(0) { $0 + of($1) }
    }

    /// An emoji made of several scalars takes two columns; any other character takes the columns of its scalars.
    static func of(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        if scalars.count > 1, first.properties.isEmojiPresentation || scalars.contains("\u{FE0F}") { return 2 }
        return scalars.reduce(0) { $0 + of($1) }
    }

    static func of(_ scalar: Unicode.Scalar) -> Int {
        // The soft hyphen is shown, unlike all other format characters.
        if scalar.value < 0x300 { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        switch scalar.value {
        // The vowels and the last consonants of a Korean syllable combine with its first consonant.
        case 0x1160...0x11FF, 0xD7B0...0xD7FF: return 0
        // Wide and fullwidth in https://www.unicode.org/Public/UCD/latest/ucd/EastAsianWidth.txt
        case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF,
            0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD:
            return 2
        default: return scalar.properties.isEmojiPresentation ? 2 : 1
        }
    }

    private static func isASCII(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { $0.allSatisfy { $0 < 0x80 } } ?? false
    }
}

extension DisplayWidth {
    /// The text in at most `width` columns. A text that is cut off ends with an ellipsis.
    static func clip(_ text: String, to width: Int) -> String {
        guard text.utf8.count > width, of(text) > width else { return text }
        return width < 1 ? "" : text[..<end(of: text[...], width - 1)] + "…"
    }

    /// The text in exactly `width` columns, cut off or padded.
    static func fit(_ text: String, to width: Int) -> String {
        let clipped = clip(text, to: width)
        return clipped + String(repeating: " ", count: max(0, width - of(clipped)))
    }

    /// The text, broken into lines of `width` columns.
    static func wrap(_ text: String, to width: Int) -> [String] {
        guard width > 0, text.utf8.count > width else { return [text] }
        var lines: [String] = []
        var rest = text[...]
        repeat {
            // A character that is wider than a line has a line of its own.
            let cut = max(end(of: rest, width), rest.index(after: rest.startIndex))
            lines.append(String(rest[..<cut]))
            rest = rest[cut...]
        } while !rest.isEmpty
        return lines
    }

    /// The index after the last character that ends within `width` columns.
    private static func end(of text: Substring, _ width: Int) -> String.Index {
        var room = width
        var index = text.startIndex
        while index < text.endIndex {
            room -= of(text[index])
            if room < 0 { break }
            index = text.index(after: index)
        }
        return index
    }
}
