/// A key that a person pressed.
enum KeyPress: Hashable, Sendable {
    /// A character that was typed.
    case text(Character)
    /// Control with a letter, a small one here.
    case control(Character)
    case up, down, left, right, shiftUp, shiftDown
    case pageUp, pageDown, home, end
    case tab, enter, escape, backspace, delete
}
