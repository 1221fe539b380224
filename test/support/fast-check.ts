import fc from 'fast-check'

/** Draws the same again with the seed that a failure printed, in `SEED`. */
const seed = process.env['SEED']
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) })

/** How often the gate tries a property that has much to try; `npm run test:faults` does so ten times as often. */
export function runs(inGate: number): number {
  return process.env['FAULTS'] === 'all' ? inGate * 10 : inGate
}

export { fc }
