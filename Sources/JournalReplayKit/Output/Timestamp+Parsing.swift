import JournalStore

extension Timestamp {
    /// Parses a time such as `2025-12-31`, `2025-12-31T23:59` or `2025-12-31 23:59:59.5`. `Z` or an offset such as
    /// `+01:00` can follow a time of day; without it the time is in UTC, like all times that the tool shows.
    init?(iso text: String) {
        var scanner = Scanner(text)
        guard let year = scanner.number(digits: 4), scanner.skip("-"), let month = scanner.number(digits: 2),
            scanner.skip("-"), let day = scanner.number(digits: 2),
            let days = Timestamp.days(year: year, month: month, day: day)
        else { return nil }
        var microseconds = days * 86_400 * 1_000_000
        if scanner.skip("T") || scanner.skip("t") || scanner.skip(" ") {
            guard let clock = scanner.clock(), let zone = scanner.zone() else { return nil }
            microseconds += clock - zone
        }
        guard scanner.isAtEnd else { return nil }
        self.init(microseconds: microseconds)
    }
}

/// Scans the text of a time.
private struct Scanner {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = text[...].utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func number(digits: Int) -> Int64? {
        let text = rest.prefix(digits)
        guard text.count == digits else { return nil }
        var number: Int64 = 0
        for byte in text {
            guard let digit = Scanner.digit(byte) else { return nil }
            number = number * 10 + digit
        }
        rest = rest.dropFirst(digits)
        return number
    }

    private static func digit(_ byte: UInt8) -> Int64? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int64(byte - UInt8(ascii: "0")) : nil
    }

    /// Reads hours and minutes, then optional seconds with an optional fraction; in microseconds.
    mutating func clock() -> Int64? {
        guard let hours = number(digits: 2), hours < 24, skip(":"), let minutes = number(digits: 2), minutes < 60 else {
            return nil
        }
        var clock = (hours * 60 + minutes) * 60 * 1_000_000
        guard skip(":") else { return clock }
        guard let seconds = number(digits: 2), seconds < 60 else { return nil }
        clock += seconds * 1_000_000
        guard skip(".") || skip(",") else { return clock }
        var unit: Int64 = 100_000
        guard var digit = rest.first.flatMap(Scanner.digit) else { return nil }
        while true {
            clock += digit * unit
            unit /= 10
            rest.removeFirst()
            guard let next = rest.first.flatMap(Scanner.digit) else { return clock }
            digit = next
        }
    }

    /// Reads the optional zone: how far it is ahead of UTC, in microseconds.
    mutating func zone() -> Int64? {
        if isAtEnd || skip("Z") || skip("z") { return 0 }
        let sign: Int64
        if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
        guard let hours = number(digits: 2), hours < 24 else { return nil }
        guard !isAtEnd else { return sign * hours * 3_600 * 1_000_000 }
        _ = skip(":")
        guard let minutes = number(digits: 2), minutes < 60 else { return nil }
        return sign * (hours * 60 + minutes) * 60 * 1_000_000
    }
}
