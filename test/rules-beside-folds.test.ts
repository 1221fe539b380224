import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rule } from '../src/links/rules/rule.ts'
import { temporaryFolder } from './support/cleanup.ts'
import { scan } from './support/fold-folders.ts'
import { linkIdOf } from './support/link-id.ts'
import { create, put, manage, skipUnlessOneNode, startServer, visit, type TestServer } from './support/server.ts'

const OWN = 'https://example.com/own'
const behindLoopback = { TRUST_PROXY: '127.0.0.1' }
/** A fold of as many takes seconds. */
const MANY_SCANS = 200_000

/** Visits of so many people, one after another. @returns how many of them the link itself answers */
async function passed(server: TestServer, code: string, people: number): Promise<number> {
  let count = 0
  for (let person = 0; person < people; person++) {
    const headers = { 'x-forwarded-for': `198.51.100.${person}`, 'user-agent': 'Mozilla/5.0 (X11) Firefox/140.0' }
    if ((await visit(`${server.url}/${code}`, headers)).status === 302) count++
  }
  return count
}

/** Begins a fold that takes long. @returns whether it still runs */
async function beginLongFold({ services }: TestServer, linkId: number): Promise<() => boolean> {
  const { recordScan, flush, fold } = services.scans
  for (let at = 0; at < MANY_SCANS; at++) {
    recordScan(scan({ linkId, at: Date.now(), visitor: null }), () => {})
    if (at % 1000 === 0) flush()
  }
  flush()
  let isRunning = true
  void fold().then(() => (isRunning = false))
  return () => isRunning
}

test(
  'while a fold runs, limits of scans and people hold exactly for links whose numbers are not in memory, and no visit waits for its end',
  { skip: skipUnlessOneNode },
  async (t) => {
    const dataDir = temporaryFolder(t)
    const settings = { DATA_DIR: dataDir, ...behindLoopback }
    let server = await startServer(t, settings)
    const rules = (when: Rule['when']): Rule[] => [{ when, then: { ended: 'Over' } }]
    const before = await create(server, { target: OWN })
    assert.equal(await passed(server, before.code, 4), 4)
    const flooded = await create(server, { target: OWN })
    await server.stop()
    server = await startServer(t, settings)
    await server.services.scans.fold()
    await put(manage(server, before), { rules: rules({ after_scans: 6 }) })
    const isRunning = await beginLongFold(server, linkIdOf(dataDir, flooded))
    const ofScans = await create(server, { target: OWN, rules: rules({ after_scans: 3 }) })
    const ofPeople = await create(server, { target: OWN, rules: rules({ after_visitors: 3 }) })
    assert.equal(await passed(server, ofScans.code, 6), 3)
    assert.equal(await passed(server, ofPeople.code, 6), 3)
    assert.equal(await passed(server, before.code, 6), 2)
    assert.equal(isRunning(), true)
    await server.services.scans.fold()
    for (const { code } of [ofScans, ofPeople, before]) assert.equal(await passed(server, code, 6), 0)
  },
)
