import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Link } from '../links/link.ts'
import { changedFields } from './event.ts'

test('a change names the fields that an owner has changed, not what the service keeps beside them', () => {
  const stored = (summary: string, sequence: number, more: Partial<Link> = {}) =>
    ({
      kind: 'event',
      payload: { summary, calendar: { sequence } },
      utm: {},
      warning: null,
      suspension: null,
      ...more,
    }) as Link
  assert.deepEqual(changedFields(stored('Fair', 0), stored('Fair', 1, { utm: { utm_source: 'x' } })), ['utm'])
  assert.deepEqual(changedFields(stored('Fair', 0), stored('Summer fair', 1)), ['payload'])
})
