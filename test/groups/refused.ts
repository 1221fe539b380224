// What is refused, whatever asks for it.
import '../authorisation.test.ts'
import '../bad-input.test.ts'
import '../hostile-bodies.test.ts'
import '../refusals.test.ts'
