// What nodes promise about scans when a node or PostgreSQL dies: processes of their own, and real kills.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPostgresSession } from '../src/nodes/database/session.ts'
import { openJournalFile } from '../src/scans/journal/journal-file.ts'
import { temporaryFolder, undoLater } from './support/cleanup.ts'
import { quirl } from './support/cli.ts'
import { createDatabase } from './support/drivers.ts'
import { scan } from './support/fold-folders.ts'
import { poll } from './support/poll.ts'
import { addressOf, startPostgres, urlOf } from './support/postgres.ts'
import { exitOf, start, type Service } from './support/program.ts'
import { requireProgram } from './support/programs.ts'
import { create, visit, type Created } from './support/server.ts'
import { UNLIMITED } from './support/workload.ts'

/** Visits that were sent to a node, and those of them that were answered. */
interface Load {
  sent: number
  answered: number
}

/** The pause of a visitor between visits: faster ones would only take CPU time from the nodes. */
const PACE_MS = 10

/** Visits a link again and again with several visitors at a time, until `isOver`; the node may die meanwhile. */
async function load(node: Service, { code }: Created, isOver: () => boolean): Promise<Load> {
  const counts = { sent: 0, answered: 0 }
  const visitor = async (agent: string) => {
    while (!isOver()) {
      counts.sent++
      try {
        const { status } = await visit(`${node.url}/${code}`, { 'user-agent': agent })
        if (status === 302) counts.answered++
        await sleep(PACE_MS)
      } catch {
        return
      }
    }
  }
  await Promise.all(Array.from({ length: 4 }, (_, at) => visitor(`Mozilla/5.0 (visitor ${at}) Firefox/130.0`)))
  return counts
}

interface Totals {
  scans: number
  unique_visitors: number
}

/** Reads the totals of a link; the service may still be connecting to PostgreSQL. */
async function totalsOf(node: Service, { token }: Created): Promise<Totals> {
  let totals: Totals | undefined
  await poll(async () => {
    const response = await fetch(`${node.url}/api/manage/${token}`)
    totals = ((await response.json()) as { totals?: Totals }).totals
    return totals !== undefined
  })
  assert.ok(totals)
  return totals
}

const journalOf = ({ dataDir }: Pick<Service, 'dataDir'>) =>
  readdirSync(join(dataDir, 'journal')).filter((name) => name.endsWith('.scans'))

test('a node that is killed loses no scan: another process adopts its journal', async (t: TestContext) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const url = urlOf(await createDatabase())
  const env = { DATABASE_URL: url }
  const [doomed, other] = await Promise.all([0, 1].map(() => start(t, undefined, UNLIMITED, { env })))
  assert.ok(doomed && other)
  const link = await create(other, { target: 'https://example.com/' })
  const adopt = (folder: string) => quirl(temporaryFolder(t), 'journal', 'adopt', folder, `--database-url=${url}`)

  const running = await adopt(doomed.dataDir)
  assert.equal(running.status, 1)
  assert.match(running.stderr, /another quirl is using DATA_DIR/)

  let isOver = false
  const loads = [load(doomed, link, () => isOver), load(other, link, () => isOver)]
  await poll(async () => (await totalsOf(other, link)).scans > 0)
  // In the middle of visits and folds, and with visits since the last fold.
  await poll(() => journalOf(doomed).length > 0)
  doomed.process.kill('SIGKILL')
  await exitOf(doomed)
  isOver = true
  const [ofDoomed, ofOther] = await Promise.all(loads)
  assert.ok(ofDoomed && ofOther)

  const adopted = await adopt(doomed.dataDir)
  assert.equal(adopted.status, 0, adopted.stderr)
  assert.match(adopted.stdout, /^\d+ scans of .* are in the statistics now\n$/)
  assert.deepEqual(journalOf(doomed), [])
  const { scans, unique_visitors: visitors } = await totalsOf(other, link)
  const [least, most] = [ofDoomed.answered + ofOther.answered, ofDoomed.sent + ofOther.sent]
  assert.ok(
    scans >= least && scans <= most,
    `${scans} scans of ${least} visits that were answered, ${most} that were sent`,
  )
  assert.equal(visitors, 4, 'a visitor of both nodes is counted once')

  const again = await adopt(doomed.dataDir)
  assert.equal(again.stdout.split(' ')[0], '0')
  assert.equal((await totalsOf(other, link)).scans, scans)
})

test('where nodes share a folder, the scans of one that is gone are counted by another, and those of one that runs are its own', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const url = urlOf(await createDatabase())
  const from = temporaryFolder(t)
  const env = { DATABASE_URL: url, ADOPT_FROM: from }
  const { query, close } = openPostgresSession({ url, max: 1 })
  undoLater(t, close)
  const startIn = (name: string) => start(t, join(from, name), UNLIMITED, { env })
  const [gone, stopped, running] = await Promise.all(['gone', 'stopped', 'running'].map(startIn))
  assert.ok(gone && stopped && running)
  const link = await create(gone, { target: 'https://example.com/' })
  // A service that is stopped holds its lock, and does not fold.
  stopped.process.kill('SIGSTOP')
  undoLater(t, () => void stopped.process.kill('SIGCONT'))
  for (let visits = 0; visits < 5; visits++) await visit(`${gone.url}/${link.code}`)
  gone.process.kill('SIGKILL')
  await exitOf(gone)
  // Visits that were answered since its last fold, as many as there may be.
  const journal = openJournalFile(join(gone.dataDir, 'journal', '9999999999999-late.scans'), false)
  const [row] = await query<{ id: number }>('select id from links where code = $1', [link.code])
  journal.append([scan({ linkId: row?.id ?? 0, at: Date.now() })])
  journal.close()
  await query(`update quirl_scans.folds set folded_until = folded_until - interval '2 minutes'`)
  await startIn('next')
  await poll(async () => (await totalsOf(running, link)).scans === 6)
  assert.deepEqual(journalOf(gone), [])
  const folders = await query('select folder from quirl_scans.folds')
  const idOf = ({ dataDir }: Service) => readFileSync(join(dataDir, 'journal', 'id'), 'utf8').trim()
  const listed = new Set(folders.map(({ folder }) => folder))
  assert.ok(listed.has(idOf(stopped)) && !listed.has(idOf(gone)), 'statistics wait for nodes that run only')
})

test('a journal of another store is not adopted: its numbers mean other links', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const url = urlOf(await createDatabase())
  const dataDir = temporaryFolder(t)
  mkdirSync(join(dataDir, 'journal'))
  const journal = openJournalFile(join(dataDir, 'journal', '1.scans'), false)
  journal.append([scan()])
  journal.close()
  const { status, stderr } = await quirl(dataDir, 'journal', 'adopt', dataDir, `--database-url=${url}`)
  assert.equal(status, 1)
  assert.match(stderr, /is not the journal of a node of the store of DATABASE_URL/)
  assert.deepEqual(readdirSync(join(dataDir, 'journal')), ['1.scans'])
})

test('PostgreSQL is killed while nodes fold: every visit is answered, and every scan counted once', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const server = await startPostgres(t)
  await server.execute('create database scans')
  const env = { DATABASE_URL: urlOf(addressOf(server, 'scans')) }
  const nodes = await Promise.all([0, 1].map(() => start(t, undefined, UNLIMITED, { env })))
  const [first] = nodes
  assert.ok(first)
  const link = await create(first, { target: 'https://example.com/' })
  for (const node of nodes) assert.equal((await visit(`${node.url}/${link.code}`)).status, 302)
  let isOver = false
  const loads = nodes.map((node) => load(node, link, () => isOver))
  for (let kills = 0; kills < 2; kills++) {
    const before = (await totalsOf(first, link)).scans
    await poll(async () => (await totalsOf(first, link)).scans > before)
    await server.kill()
    // The journals grow meanwhile.
    await poll(() => nodes.every((node) => journalOf(node).length > 0))
    await server.start()
    await poll(async () => (await fetch(`${first.url}/readyz`)).status === 200)
  }
  isOver = true
  const counts = await Promise.all(loads)
  const sum = (name: keyof Load) => counts.reduce((total, each) => total + each[name], nodes.length)
  assert.equal(sum('answered'), sum('sent'), 'no visit of a cached link fails')
  await poll(async () => (await totalsOf(first, link)).scans >= sum('answered'))
  const totals = await Promise.all(nodes.map((node) => totalsOf(node, link)))
  for (const { scans } of totals) assert.equal(scans, sum('answered'))
})
