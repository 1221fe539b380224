import assert from 'node:assert/strict'
import { fc } from '../fast-check.ts'
import { enter } from '../passwords.ts'
import { put } from '../server.ts'
import { expectFields } from './changes.ts'
import { addressOf, byToken, command, fieldsOf, linkAt, type CommandKind, type World } from './model.ts'
import { answerOf, arrive, byVisitors, expectAnswer, type Visitor } from './visitors.ts'

const choices = ['first horse', 'second horse'] as const
const guess = fc.constantFrom('the right one', 'the right one', 'wrong horse', ...choices)

/** Passwords that owners set and visitors enter. */
export const passwords: CommandKind[] = [
  command('set password', 3, { ...byToken, password: fc.constantFrom(null, ...choices) }, async (world, parameters) => {
    const { password, ...by } = parameters
    const named = addressOf(world, by)
    const { one, works, url } = named
    const expected = { ...fieldsOf(one), has_password: password !== null }
    // The same password has another hash.
    await expectFields(world, await put(url, { password }), named, expected, password !== null)
    if (works) one.password = password
  }),
  command('enter', 8, { ...byVisitors, guess }, async (world, { link, visitors, guess }) => {
    const password = guess === 'the right one' ? (linkAt(world, link).password ?? choices[0]) : guess
    for (const visitor of visitors) await enterBy(world, link, visitor, password)
  }),
]

async function enterBy(world: World, link: number, visitor: Visitor, password: string): Promise<void> {
  const { one, url, headers, facts, scan } = await arrive(world, link, visitor)
  const response = await enter(url, password, headers)
  const isAsked = !one.isDeleted && fieldsOf(one).active && one.password !== null
  if (!isAsked || password !== one.password) {
    assert.deepEqual([response.status, response.headers.get('location')], [isAsked ? 403 : 405, null])
    return
  }
  const answer = answerOf(one, facts)
  await expectAnswer(response, answer, 303)
  one.scans.push({ ...scan, answer: answer.by })
}
