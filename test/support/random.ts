import type { TestContext } from 'node:test'

/** Numbers from 0 up to 1, the same for the same seed. */
export type Random = () => number

/** The seed of a test's random numbers, which the test prints; `SEED` sets it. */
export function seedOf(t: TestContext): number {
  const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31)
  t.diagnostic(`SEED=${seed}`)
  return seed
}

/** Random numbers from this seed. */
export function seededRandom(t: TestContext): Random {
  return randomFrom(seedOf(t))
}

/** The same numbers on each run. */
export function randomFrom(seed: number): Random {
  let state = seed
  // The generator "mulberry32": small, and uniform enough for tests.
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** One of the items. */
export function oneOf<T>(random: Random, items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('there is nothing to choose from')
  return item
}
