import assert from 'node:assert/strict'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from './support/cleanup.ts'
import { poll } from './support/poll.ts'
import { exitOf, start, type Service } from './support/program.ts'
import { create, type Created } from './support/server.ts'

const KILLS = Number(process.env['KILLS'] ?? 10)
const CONNECTIONS = 24

/** Visits whose answer was read, and those that were only asked for; each is known by its referrer. */
interface Load {
  asked: Set<string>
  answered: Set<string>
}

let lastVisit = 0

/** Visits as fast as they are answered, until the service is gone. */
async function visitUntilGone(service: Service, link: Created, load: Load): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const visitOnce = () =>
    new Promise<boolean>((resolve) => {
      const name = `v${lastVisit++}.example.com`
      load.asked.add(name)
      const headers = { referer: `https://${name}/`, 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' }
      get(`${service.url}/${link.code}?qr=1`, { agent, headers }, (response) => {
        if (response.statusCode === 302) load.answered.add(name)
        response.resume().once('close', () => resolve(true))
      }).once('error', () => resolve(false))
    })
  const lane = async () => {
    while (await visitOnce()) continue
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, lane))
  agent.destroy()
}

test(`after each of ${KILLS} kill -9 under load, every answered visit is in scans.csv exactly once, and all counts agree`, async (t) => {
  const dataDir = temporaryFolder(t)
  const load: Load = { asked: new Set(), answered: new Set() }
  let link: Created | undefined
  for (let kill = 0; kill < KILLS; kill++) {
    const service = await start(t, dataDir)
    link ??= await create(service, { target: 'https://example.com/' })
    const loading = visitUntilGone(service, link, load)
    // From before the first fold to the middle of a later one.
    await sleep(20 + Math.random() * 1500)
    service.process.kill('SIGKILL')
    await loading
    await exitOf(service)
  }
  assert.ok(link)
  assert.ok(load.answered.size > KILLS * 10, `only ${load.answered.size} visits were answered`)

  const service = await start(t, dataDir)
  // The service answers before it has folded all that the kill left; what it will say is asked when it has.
  await poll(async () => /^quirl_journal_backlog_bytes 0$/m.test(await (await fetch(`${service.url}/metrics`)).text()))
  const text = await (await fetch(`${service.url}/api/manage/${link.token}/scans.csv`)).text()
  const rows = text
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(','))
  const names = rows.map((row) => row[7] ?? '')
  // The visitor is new once a UTC day; that the last ends meanwhile is rare, but it happens.
  const days = new Set(rows.map(([at = '']) => at.slice(0, 10))).size
  const exported = new Set(names)
  assert.equal(names.length, exported.size, 'a visit is there twice')
  assert.deepEqual(
    [...load.answered].filter((name) => !exported.has(name)),
    [],
    'an answered visit is missing',
  )
  assert.deepEqual(
    [...exported].filter((name) => !load.asked.has(name)),
    [],
    'a visit is there that nobody made',
  )

  const { totals } = (await (await fetch(`${service.url}/api/manage/${link.token}`)).json()) as {
    totals: Record<string, number>
  }
  assert.deepEqual([totals['scans'], totals['qr'], totals['unique_visitors']], [names.length, names.length, days])
  service.process.kill('SIGTERM')
  assert.equal((await exitOf(service)).code, 0)
  const db = new DatabaseSync(join(dataDir, 'scans.db'), { readOnly: true })
  assert.deepEqual({ ...db.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' })
  for (const table of ['pulse', 'daily', 'monthly']) {
    const where = table === 'pulse' ? '' : 'where dimension = 0'
    const row = db
      .prepare(`select sum(humans + bots) as scans, sum(human_firsts + bot_firsts) as firsts from ${table} ${where}`)
      .get()
    assert.deepEqual({ ...row }, { scans: names.length, firsts: days }, table)
  }
  db.close()
})
