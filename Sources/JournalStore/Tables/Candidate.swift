/// What can match a case, and the next one. Not generic: arrays and links of a type that depends on the machine are
/// slow.
final class Candidate: Sendable {
    let item: any AnyObject & Sendable
    let next: Candidate?

    init(_ item: any AnyObject & Sendable, _ next: Candidate?) {
        (self.item, self.next) = (item, next)
    }
}
