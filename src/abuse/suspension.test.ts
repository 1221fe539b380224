import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Transaction } from '#kysely'
import type { Tables } from '../db/schema.ts'
import type { Link } from '../links/link.ts'
import { drivers } from '../../test/support/drivers.ts'
import { insert } from '../../test/support/stored-links.ts'
import { suspendLinks, type SuspensionDeps } from './suspension.ts'

for (const { name, open } of drivers) {
  test(`the links to a blocked host are suspended by a few statements, however many they are, on ${name}`, async (t) => {
    const db = await open(t)
    if (db === undefined) return
    const links: Link[] = []
    for (let at = 0; at < 16; at++) links.push(await insert(db, `menu-${at}`))
    let statements = 0
    const counted = (transaction: Transaction<Tables>) =>
      new Proxy(transaction, {
        get(target, name, receiver) {
          if (/^(?:updateTable|insertInto|selectFrom|deleteFrom)$/.test(String(name))) statements++
          const value: unknown = Reflect.get(target, name, receiver)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
    const told: string[] = []
    const invalidated: string[] = []
    const deps: SuspensionDeps = {
      db: { ...db, urgent: (urgency, work) => db.urgent(urgency, (transaction) => work(counted(transaction))) },
      now: () => 42,
      invalidate: (code) => invalidated.push(code),
      webhooks: {
        which: async () => new Set([links[2]?.id ?? 0]),
        onChange: async (_, { code }) => void told.push(code),
      },
    }
    await db.write.updateTable('links').set({ revision: 9 }).where('code_key', '=', 'menu-3').execute()
    const suspension = { at: 42, reason: 'it harms', source: 'operator', expression: 'evil.example/' } as const
    const all = links.map((link) => ({ link, suspension, source: 'operator' }))
    assert.equal(await suspendLinks(deps, all, 'takedown'), 15)
    assert.ok(statements <= 4, `${statements} statements`)
    assert.deepEqual(told, ['menu-2'])
    assert.equal(invalidated.length, 16)
    const rows = await db.read.selectFrom('links').select(['code', 'removed_at', 'revision']).orderBy('id').execute()
    for (const { code, removed_at: at, revision } of rows)
      assert.deepEqual([at, revision], code === 'menu-3' ? [null, 9] : [42, 2], code)
    const audit = await db.read.selectFrom('audit').select(['subject', 'reason']).execute()
    const subjects = links.map(({ code }) => code).filter((code) => code !== 'menu-3')
    assert.deepEqual(
      audit.map(({ subject, reason }) => `${subject}: ${reason}`).sort(),
      subjects.map((subject) => `${subject}: it harms`).sort(),
    )
  })
}
