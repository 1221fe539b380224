import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drivers } from '../../test/support/drivers.ts'
import { domain, REGISTERED_AT as NOW } from '../../test/support/stored-domains.ts'
import type { Served } from './domain.ts'
import { createPageNames } from './page-names.ts'
import { hasServedPages } from './page-names-store.ts'
import { insertDomain } from './store.ts'

for (const driver of drivers) {
  test(`a page under a name counts while nobody has registered it, or once it has led here, and not while it is to lead here, on ${driver.name}`, async (t) => {
    const db = await driver.open(t)
    if (db === undefined) return
    const stored = {
      'free.example.com': undefined,
      'pending.example.com': domain('pending.example.com'),
      'unchecked.example.com': domain('unchecked.example.com', { proofWanted: true }),
      'narrowed.example.com': domain('narrowed.example.com', { status: 'active' }),
      'gone.example.com': domain('gone.example.com', { status: 'misconfigured' }),
      'home.example.com': domain('home.example.com', { status: 'misconfigured', proofWanted: true }),
      'open.example.com': domain('open.example.com', { status: 'active', proofWanted: true }),
    }
    for (const each of Object.values(stored)) if (each !== undefined) await insertDomain(db.write, each)
    const noted = async (statusOf: (name: string) => Served | undefined) => {
      await db.write.deleteFrom('page_names').execute()
      const works: Promise<unknown>[] = []
      const run = (work: Promise<unknown>) => void works.push(work)
      const pageSent = createPageNames({ db, now: () => NOW, host: 'go.bakery.shop', statusOf, run })
      for (const name of Object.keys(stored)) pageSent(name, `/m/of-${name}`)
      await Promise.all(works)
      const found = await Promise.all(
        Object.keys(stored).map(async (name) => (await hasServedPages(db.read, name)) && name),
      )
      return found.filter(Boolean)
    }
    const homes = ['free.example.com', 'home.example.com', 'open.example.com']
    // Another process may have registered them all a moment ago.
    assert.deepEqual(await noted(() => undefined), homes)
    const statuses: Record<string, Served> = {
      'pending.example.com': 'pending',
      'unchecked.example.com': 'pending',
      'narrowed.example.com': 'active',
      'gone.example.com': 'misconfigured',
      'home.example.com': 'misconfigured',
      'open.example.com': 'open',
    }
    assert.deepEqual(await noted((name) => statuses[name]), homes)
  })
}
