import Foundation
import JournalStore

/// Prints what it reduces. A negative number ends the process.
let noisy = Machine<Int, Int, Void>("noisy", initialState: 0) { sum, number in
    print("adding \(number)")
    if number < 0 { exit(0) }
    sum += number
}

/// Tells that it reduces, and does not end.
let endless = Machine<Int, Int, Void>("endless", initialState: 0) { sum, number in
    print("reducing")
    fflush(nil)
    while true { sleep(60) }
}
