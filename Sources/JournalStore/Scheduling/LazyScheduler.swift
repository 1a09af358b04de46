/// A scheduler that is made when it is first changed: most streams that are open have no live effects.
///
/// `@unchecked`: as a scheduler itself, it is used by one thread at a time.
struct LazyScheduler: ~Copyable, @unchecked Sendable {
    /// Not an object: its variable would be copied for each read.
    private var made: UnsafeMutablePointer<Scheduler>?
    private let clockCheck: Duration
    /// What is read before one is made.
    private static let unused = Scheduler()

    init(clockCheck: Duration) {
        self.clockCheck = clockCheck
    }

    deinit {
        made?.deinitialize(count: 1)
        made?.deallocate()
    }

    var scheduler: Scheduler {
        _read {
            if let made { yield made.pointee } else { yield Self.unused }
        }
        _modify {
            let made = made ?? make()
            yield &made.pointee
        }
    }

    private mutating func make() -> UnsafeMutablePointer<Scheduler> {
        let new = UnsafeMutablePointer<Scheduler>.allocate(capacity: 1)
        new.initialize(to: Scheduler(clockCheck: clockCheck))
        made = new
        return new
    }

    // Asked after each step: this way is quicker.
    var changes: Int { made?.pointee.changes ?? 0 }
    var nextWake: Duration? { made?.pointee.nextWake }
}
