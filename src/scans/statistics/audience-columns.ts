import type { Audience } from './stats-query.ts'

/** The columns of the rollups that an audience sums, in SQL. */
export const columnsOf: Record<Audience, { scans: string; firsts: string }> = {
  all: { scans: 'humans + bots', firsts: 'human_firsts + bot_firsts' },
  human: { scans: 'humans', firsts: 'human_firsts' },
  bot: { scans: 'bots', firsts: 'bot_firsts' },
}

/** A further condition for the raw scans of an audience, in SQL. */
export const conditionOf: Record<Audience, string> = { all: '', human: 'and bot = 0', bot: 'and bot = 1' }
