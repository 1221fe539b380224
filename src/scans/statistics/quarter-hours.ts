import type { Audience, Counts } from './stats-query.ts'

/** Scans and first-of-day scans of humans and of bots. */
export type AudienceSums = {
  humans: number
  humanFirsts: number
  bots: number
  botFirsts: number
}

/** The counts of humans and of bots apart. */
export type ByAudience = Record<'humans' | 'bots', Counts>

/** What an audience counts of the sums. */
export function ofAudience({ humans, humanFirsts, bots, botFirsts }: AudienceSums, audience: Audience) {
  const [ofHumans, firstsOfHumans] = audience === 'bot' ? [0, 0] : [humans, humanFirsts]
  const [ofBots, firstsOfBots] = audience === 'human' ? [0, 0] : [bots, botFirsts]
  return {
    humans: ofHumans,
    bots: ofBots,
    scans: ofHumans + ofBots,
    unique_visitors: firstsOfHumans + firstsOfBots,
  }
}

/**
 * Scans by source, which add up. The source of those of a day that is partly in the window is not known any more when its raw
 * scans have been deleted.
 */
export function bySource(scans: number, qr: number): { qr: number; link: number } {
  const known = Math.min(qr, scans)
  return { qr: known, link: scans - known }
}

export function byAudience(sums: AudienceSums[]): ByAudience {
  const total = (name: keyof AudienceSums) => sums.reduce((sum, each) => sum + each[name], 0)
  return {
    humans: { scans: total('humans'), unique_visitors: total('humanFirsts') },
    bots: { scans: total('bots'), unique_visitors: total('botFirsts') },
  }
}
