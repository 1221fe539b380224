import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearName } from './near-name.ts'

const known = ['target', 'title', 'campaign', 'utm', 'alias', 'firstName', 'dry_run', 'days', 'tz']

test('a misspelled name is taken for the known one that is nearest', () => {
  for (const [name, expected] of [
    ['taget', 'target'],
    ['tagret', 'target'],
    ['Title', 'title'],
    ['titel', 'title'],
    ['first_name', 'firstName'],
    ['FIRSTNAME', 'firstName'],
    ['dryrun', 'dry_run'],
    ['compaigns', 'campaign'],
    ['day', 'days'],
  ] as const)
    assert.equal(nearName(name, known), expected, name)
})

test('a name that is near none, or longer than every name, is taken for none', () => {
  for (const name of ['expires_at', 'from', 'url', 'to', 'x', '', `target${'t'.repeat(10_000)}`])
    assert.equal(nearName(name, known), undefined, name)
  assert.equal(nearName('target', []), undefined)
})
