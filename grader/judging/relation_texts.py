"""What is said of answers that stand in a simple relation to the right ones: title, nudge, hint, explanation."""

from __future__ import annotations

TEXTS: dict[str, str] = {
    "answer-transposed": """The answer is the right one with its axes exchanged.
? What is the shape of your result, and which one does the hand-out name?
> Look for a .T or a swapaxes that is missing, or one too many, in your last lines.
= Every number is right and stands in the place of another: rows and columns have changed roles.""",
    "answer-reversed": """The answer is the right one backwards.
? Which entry of your result should stand first?
> Look for [::-1], insert(0, ...), or a loop that counts down.
= Every number is right, and their order is turned round along one axis.""",
    "answer-shifted-by-one-place": """The answer is the right one moved on by one place.
? At which index does your loop begin, and at which index does it store?
> Look for i + 1 or i - 1 on one side of an assignment only, and for np.roll.
= Every number is right and stands one place too far, as an index that is off by one has it.""",
    "answer-incomplete": """The answer is the right one with a part left out.
? How many entries should your result have along each axis?
> Look at the ends of your slices and ranges: range(n - 1), [:-1], [1:].
= What is there is right; an end is missing, as a range that is one too short has it.""",
    "answer-scaled": """The answer is the right one times a number.
? Divide your result by the right one. Which number do you get everywhere?
> Look for a factor that is missing, that is there twice, or that divides where it should multiply.
= The quotient of your answer and the right one is the same in every case that was asked, whatever the sizes.""",
    "answer-negated": """The answer is the right one with the wrong sign.
? Which sign should your result have?
> Look for a minus that is missing, or one too many.
= Every number has the right size and the other sign.""",
    "answer-raised": """The answer is the right one plus a number.
? Subtract the right result from yours. Which number do you get everywhere?
> Look for a + 1 or - 1, or for a term that is missing.
= The difference between your answer and the right one is the same in every case that was asked.""",
    "answer-cut-to-whole-numbers": """The answer is the right one cut to whole numbers.
? Which type does your result have, and which types did it have on the way?
> Look for //, int(...), round(...) or an array that is made for whole numbers.
= What stands behind the point is lost.""",
    "answer-imprecise": """The answer is right to a few digits only.
? Which types do your numbers have on the way: float64, float32, float16?
> Look for float16, for round(...), and for small constants that you add.
= All numbers are close to the right ones and further away than rounding in single precision allows.""",
    "answer-of-another-function": """The answer is the right one put through one more function.
? Is there one step behind the last one that the hand-out names?
> Look at your last line: which function is applied to what is right already?
= Undo the last step and the answer is right.""",
    "arguments-exchanged": """The answer is the right one for arguments that have changed places.
? In which order does the hand-out give the arguments, and in which order do you read them?
> Look at the head of your function, and at every line that unpacks several values at once.
= Each argument is used rightly in the place of another.""",
    "argument-used-twice": """One argument is used where another one belongs.
? Change the one argument and leave the other alone. Does your result move as it should?
> Look for a name that is written twice in one line.
= The other argument is never looked at, or not in this place.""",
    "argument-changed-first": """The answer is the right one for another value of an argument.
? What do you do to your arguments before the formula begins?
> Look at your first lines, and at the indices that you make from an argument.
= The formula is right, and it is given another value than the one that was passed.""",
    "argument-changed-in-place": """An argument is overwritten.
? Compare your arguments before and after the call. Which of them has changed?
> Operators such as `x -= ...`, `out=x` and an index on the left of `=` write into the caller's array.
= The result is right, but the caller still needs the array that was passed. `x = x - ...` makes a new one.""",
    "answer-never-the-same": """Two calls with the same arguments give different answers.
? What in your function does not depend on its arguments?
> Look for random numbers, and for values that are kept from one call to the next.
= A formula has no memory and throws no dice: the same arguments have to give the same answer.""",
    "answer-of-the-first-call": """Every call gives the answer to the first one.
? Call your function twice with other arguments. Does the second answer follow them?
> Look for an attribute, a global or a default argument that keeps a result, and is asked before anything is computed.
= What was computed once is kept and never computed again: the answer may depend on the arguments alone.""",
    "answer-of-an-earlier-call": """The answer is that of an earlier call with other numbers.
? Call your function twice with other numbers of the same shapes. Does the second answer follow its arguments?
> Look for a global variable, a cache whose key is not the whole input, and for a list or a dict as a default argument.
= The answer may depend on the arguments alone. A cache that asks for the shapes only returns what it has computed for
other numbers.""",
}
