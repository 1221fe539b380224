import { z } from 'zod'
import { MAX_TEXT } from '../../dimensions/cells.ts'
import { dimensions } from '../../dimensions/dimensions.ts'
import { MAX_VALUES } from '../../scans/statistics/stats-query.ts'

const day = z.iso.date()

/** What statistics are asked with: the window, how it is cut, and which scans count. */
export const statisticsInput = {
  days: z.int().min(1).max(365).optional().describe('The length of the window, today included; 30 if absent'),
  from: day.optional().describe('The first day of the window, in place of days; at most 366 days before its end'),
  to: day.optional().describe('The last day of the window; goes with from; today if absent'),
  interval: z.enum(['hour', 'day', 'week', 'month']).optional().describe('hour: at most 31 days; day if absent'),
  tz: z.string().max(64).optional().describe('The IANA time zone in which days begin; UTC if absent'),
  audience: z.enum(['all', 'human', 'bot']).optional(),
  ...Object.fromEntries(
    dimensions.map(({ name, filter: { example } }) => [
      name,
      z
        .array(z.string().min(1).max(MAX_TEXT))
        .max(MAX_VALUES)
        .optional()
        .describe(
          `Counts only scans with one of these values of the breakdown ${name}, such as ${example}; ~ is unknown`,
        ),
    ]),
  ),
}
