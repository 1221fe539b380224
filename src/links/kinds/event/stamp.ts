import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { Type } from '#typebox'
import type { Stamp } from '../kind.ts'

/** By what calendars know an event again, and which of two versions is the later one. */
export interface CalendarStamp {
  /** Random, and the same for ever, also under another domain and after a move. */
  uid: string
  /** Counts the changes: it never falls, because going back to an earlier version is a change, too. */
  sequence: number
  /** When the event was changed last, milliseconds since 1970, UTC. */
  revised: number
}

/** What an event has beside its fields. An import brings it along, so that calendars still know the event. */
export const stamp: Stamp = {
  name: 'calendar',
  schema: Type.Object({
    uid: Type.String({ pattern: '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
    sequence: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 }),
    revised: Type.Integer({ minimum: 0, maximum: 4102444800000 }),
  }),
  next(after, before, now) {
    if (before === undefined) return { uid: randomUUID(), sequence: 0, revised: now }
    const { calendar, ...fields } = before.payload
    // The UTM parameters are in its address.
    if (isDeepStrictEqual([fields, before.utm], [after.payload, after.utm])) return calendar
    const { uid, sequence } = calendar as CalendarStamp
    return { uid, sequence: sequence + 1, revised: now }
  },
}
