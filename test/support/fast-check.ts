import fc from 'fast-check'

/** The seed that a failure has printed; `SEED` sets it to repeat the run. */
const seed = process.env['SEED']
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) })

/** The number of runs of a property with a large space: in `npm run test:faults` ten times as many as in the gate. */
export function runs(inGate: number): number {
  return process.env['FAULTS'] === 'all' ? inGate * 10 : inGate
}

/** The first code point that is half of a surrogate pair, and how many of these there are. */
const SURROGATE = 0xd800
const SURROGATES = 0x800

/**
 * Any code point but surrogates, as the unit of `fc.string`. The library's own, "binary", keeps a table of all of them: seconds
 * and 100 MB in each process that makes one string.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat(0x10ffff - SURROGATES).map(
  (index) => String.fromCodePoint(index < SURROGATE ? index : index + SURROGATES),
  (text) => {
    if (typeof text !== 'string' || !/^\P{Cs}$/u.test(text)) throw new TypeError('must be one code point')
    const point = text.codePointAt(0) ?? 0
    return point < SURROGATE ? point : point - SURROGATES
  },
)

export { fc }
