import JournalStore

// A queue cannot be stored.
// error: type 'Loads' does not conform to protocol 'Decodable'
struct Loads: Newest1EffectQueue {
    let log: @Sendable () -> Void
}
