extension UInt64 {
    /// The random number as a number from 0 up to 1, without 1: its upper 53 bits, as many as a `Double` holds exactly.
    var unitFraction: Double { Double(self >> 11) * 0x1p-53 }
}
