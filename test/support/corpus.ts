import assert from 'node:assert/strict'

/**
 * Whether tests read their whole corpus, which takes long (`npm run test:corpus`), or a covering part of it, in
 * which all pairs of choices occur; `assertCovers` proves that.
 */
export const isWhole = process.env['CORPUS'] === 'all'

/** The seed of random texts and designs: the same in every run unless `SEED` is set. */
export const seed = Number(process.env['SEED'] ?? 2026)

/** The samples of a corpus that this run reads. */
export function chosenOf<Sample>(whole: readonly Sample[], isInPart: (sample: Sample) => boolean): Sample[] {
  return isWhole ? [...whole] : whole.filter(isInPart)
}

/** Sets of keys whose values must occur in all combinations. */
type Combinations<Sample> = readonly (readonly (keyof Sample)[])[]

/** The samples that this run reads: all, or a small covering array, in which each of these combinations of the whole occurs. */
export function covering<Sample>(whole: readonly Sample[], combinations: Combinations<Sample>): Sample[] {
  if (isWhole) return [...whole]
  const candidates = whole.map((sample) => ({
    sample,
    covered: combinations.map((keys) => combinationOf(sample, keys)),
  }))
  const open = new Set(candidates.flatMap(({ covered }) => covered))
  const chosen: Sample[] = []
  while (open.size > 0) {
    // Rotates the start, so that equally good candidates are chosen from the whole corpus.
    const from = (chosen.length * 97) % candidates.length
    let best = candidates[from]
    let most = 0
    for (let at = 0; at < candidates.length; at++) {
      const candidate = candidates[(from + at) % candidates.length]
      const added = candidate?.covered.filter((combination) => open.has(combination)).length ?? 0
      if (added > most) [best, most] = [candidate, added]
    }
    if (best === undefined) break
    chosen.push(best.sample)
    for (const combination of best.covered) open.delete(combination)
  }
  return chosen
}

const combinationOf = <Sample>(sample: Sample, keys: readonly (keyof Sample)[]): string =>
  keys.map((key) => `${String(key)} ${String(sample[key])}`).join(', ')

/** Asserts that each combination of these keys' values in the whole corpus occurs among the chosen samples. */
export function assertCovers<Sample>(
  chosen: readonly Sample[],
  whole: readonly Sample[],
  combinations: Combinations<Sample>,
): void {
  for (const keys of combinations) {
    const combinationsIn = (samples: readonly Sample[]) =>
      [...new Set(samples.map((sample) => combinationOf(sample, keys)))].sort()
    assert.deepEqual(combinationsIn(chosen), combinationsIn(whole), keys.join(' × '))
  }
}
