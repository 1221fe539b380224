import assert from 'node:assert/strict'

/**
 * Whether tests go through all of what they can draw, as `npm run test:corpus` has them, which takes long; or through a
 * part in which every choice meets every other, which `assertCovers` proves of it.
 */
export const isWhole = process.env['CORPUS'] === 'all'

/** Where random texts and designs begin: the same in every run, unless it is given. */
export const seed = Number(process.env['SEED'] ?? 2026)

/** Of a corpus what this run goes through. */
export function chosenOf<Sample>(whole: readonly Sample[], isInPart: (sample: Sample) => boolean): Sample[] {
  return isWhole ? [...whole] : whole.filter(isInPart)
}

/** Insists that the values of these choices meet each other in what was chosen wherever they do in the whole. */
export function assertCovers<Sample>(
  chosen: readonly Sample[],
  whole: readonly Sample[],
  choices: readonly (readonly (keyof Sample)[])[],
): void {
  for (const keys of choices) {
    const meetingsIn = (samples: readonly Sample[]) =>
      [...new Set(samples.map((sample) => keys.map((key) => String(sample[key])).join(' ')))].sort()
    assert.deepEqual(meetingsIn(chosen), meetingsIn(whole), keys.join(' × '))
  }
}
