import fc from 'fast-check'

/** The seed that a failure has printed; `SEED` sets it to repeat the run. */
const seed = process.env['SEED']
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) })

/** The number of runs of a property with a large space: in `npm run test:faults` ten times as many as in the gate. */
export function runs(inGate: number): number {
  return process.env['FAULTS'] === 'all' ? inGate * 10 : inGate
}

export { fc }
