import { fc } from './fast-check.ts'

/** Visits of three links by four visitors, so that many have something in common. */
export function fewVisits(options: { maxHoursAgo: number; maxLength: number }) {
  const visit = fc.record({
    linkId: fc.integer({ min: 1, max: 3 }),
    hoursAgo: fc.integer({ min: 0, max: options.maxHoursAgo }),
    source: fc.constantFrom('qr' as const, 'link' as const),
    visitor: fc.option(fc.integer({ min: 1, max: 4 })),
    bot: fc.boolean(),
    city: fc.constantFrom(null, 'Berlin', 'Paris'),
    answer: fc.constantFrom(null, 1, 20),
  })
  return fc.array(visit, { maxLength: options.maxLength })
}
