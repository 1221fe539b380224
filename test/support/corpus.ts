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

/** Some of a sample's choices, which are to meet each other. */
type Meetings<Sample> = readonly (readonly (keyof Sample)[])[]

/** Of a corpus what this run goes through: all, or a small part in which these choices meet wherever they do in the whole. */
export function covering<Sample>(whole: readonly Sample[], meetings: Meetings<Sample>): Sample[] {
  if (isWhole) return [...whole]
  const candidates = whole.map((sample) => ({ sample, met: meetings.map((keys) => meetingOf(sample, keys)) }))
  const open = new Set(candidates.flatMap(({ met }) => met))
  const chosen: Sample[] = []
  while (open.size > 0) {
    // Of those that add as much as each other, another one's turn comes each time.
    const from = (chosen.length * 97) % candidates.length
    let best = candidates[from]
    let most = 0
    for (let at = 0; at < candidates.length; at++) {
      const candidate = candidates[(from + at) % candidates.length]
      const added = candidate?.met.filter((meeting) => open.has(meeting)).length ?? 0
      if (added > most) [best, most] = [candidate, added]
    }
    if (best === undefined) break
    chosen.push(best.sample)
    for (const meeting of best.met) open.delete(meeting)
  }
  return chosen
}

const meetingOf = <Sample>(sample: Sample, keys: readonly (keyof Sample)[]): string =>
  keys.map((key) => `${String(key)} ${String(sample[key])}`).join(', ')

/** Insists that the values of these choices meet each other in what was chosen wherever they do in the whole. */
export function assertCovers<Sample>(
  chosen: readonly Sample[],
  whole: readonly Sample[],
  meetings: Meetings<Sample>,
): void {
  for (const keys of meetings) {
    const meetingsIn = (samples: readonly Sample[]) =>
      [...new Set(samples.map((sample) => meetingOf(sample, keys)))].sort()
    assert.deepEqual(meetingsIn(chosen), meetingsIn(whole), keys.join(' × '))
  }
}
