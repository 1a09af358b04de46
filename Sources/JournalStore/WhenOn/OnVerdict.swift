/// What an ``On`` says to an event. Not nested in it: each copy would look up the metadata of a generic type.
@usableFromInline
enum OnVerdict: Sendable {
    case otherEvent
    case stopped(Guard)
    case moves(Guard?)
}
