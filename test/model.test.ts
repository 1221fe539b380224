import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { fc, runs } from './support/fast-check.ts'
import { temporaryFolder } from './support/cleanup.ts'
import { PATIENCE_MS } from './support/poll.ts'
import { create, put, startServer, visit, type Created, type TestServer } from './support/server.ts'

const HOUR = 3_600_000
const START = Date.UTC(2026, 1, 27, 9, 30)
const KATHMANDU_OFFSET = 5.75 * HOUR

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const crawler = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'

/** A scan in the model. */
interface ModelScan {
  at: number
  isQr: boolean
  bot: boolean
  visitor: string
}

interface ModelLink {
  link: Created
  state: 'live' | 'paused' | 'deleted'
  scans: ModelScan[]
}

type Command =
  | { do: 'create' }
  | { do: 'visit'; link: number; address: number; isQr: boolean; bot: boolean }
  | { do: 'change' | 'pause' | 'resume' | 'delete'; link: number }
  | { do: 'wait'; hours: number }
  | { do: 'fold dies' | 'restart' }

const link = fc.nat(3)
const commands: fc.Arbitrary<Command[]> = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ do: fc.constant('create' as const) }) },
    {
      weight: 14,
      arbitrary: fc.record({
        do: fc.constant('visit' as const),
        link,
        address: fc.nat(3),
        isQr: fc.boolean(),
        bot: fc.boolean(),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('change', 'pause', 'resume', 'delete'), link }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 60 }) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('fold dies' as const, 'restart' as const) }) },
  ),
  { minLength: 10, maxLength: 60 },
)

test('after any visits, changes, deletions, failed folds and restarts, all counts are those of a plain list', async (t) => {
  let now = START
  const env = { TRUST_PROXY: '127.0.0.1', DATA_DIR: temporaryFolder(t) }
  let server = await startServer(t, env, () => now)
  // All plans share one folder, so that a plan would see scans that belong to links of another.
  await fc.assert(
    fc.asyncProperty(commands, async (plan) => {
      const model: ModelLink[] = [
        { link: await create(server, { target: 'https://example.com/' }), state: 'live', scans: [] },
      ]

      for (const command of plan) {
        const one = 'link' in command ? model[command.link % model.length] : undefined
        if (command.do === 'create') {
          model.push({ link: await create(server, { target: 'https://example.com/' }), state: 'live', scans: [] })
        } else if (command.do === 'visit' && one) {
          await visitBoth(server, one, { ...command, at: ++now })
        } else if (command.do === 'wait') {
          now += command.hours * HOUR
        } else if (command.do === 'restart') {
          await server.stop()
          server = await startServer(t, env, () => now)
        } else if (command.do === 'fold dies') {
          await failOneFold(server)
        } else if (one) {
          await changeLink(server, one, command.do as 'change' | 'pause' | 'resume' | 'delete')
        }
      }
      for (const one of model) await compare(server, one, now)
    }),
    { numRuns: runs(25) },
  )
})

async function visitBoth(
  server: TestServer,
  { link, state, scans }: ModelLink,
  { address, isQr, bot, at }: { address: number; isQr: boolean; bot: boolean; at: number },
): Promise<void> {
  const headers = { 'x-forwarded-for': `81.2.69.${address + 1}`, 'user-agent': bot ? crawler : browser }
  const { status } = await visit(`${server.url}/${link.code}${isQr ? '?qr=1' : ''}`, headers)
  assert.equal(status, { live: 302, paused: 404, deleted: 410 }[state])
  if (state === 'live') scans.push({ at, isQr, bot, visitor: `${address}|${bot}` })
}

async function changeLink(
  server: TestServer,
  one: ModelLink,
  action: 'change' | 'pause' | 'resume' | 'delete',
): Promise<void> {
  const url = `${server.url}/api/manage/${one.link.token}`
  const wanted = one.state === 'deleted' ? 404 : 200
  if (action === 'delete') {
    assert.equal((await fetch(url, { method: 'DELETE' })).status, wanted)
    one.state = 'deleted'
    return
  }
  const body = { change: { target: 'https://example.org/new' }, pause: { active: false }, resume: { active: true } }
  assert.equal((await put(url, body[action])).status, wanted)
  if (one.state !== 'deleted' && action !== 'change') one.state = action === 'pause' ? 'paused' : 'live'
}

/** Locks the warehouse, so that a fold fails after it has stored the visitor keys and before it stores the scans. */
async function failOneFold(server: TestServer): Promise<void> {
  // The lock waits for a fold that is in progress, which then removes the file that it has folded.
  const holder = new DatabaseSync(join(server.dataDir, 'scans.db'), { timeout: PATIENCE_MS })
  holder.exec('begin immediate')
  await server.services.scans.totals(0)
  const waits = backlogOf(server) > 0
  const settled = await server.services.scans.settle()
  if (waits) assert.equal(settled, false)
  holder.exec('rollback')
  holder.close()
}

function backlogOf({ services }: TestServer): number {
  return services.metrics.find(({ name }) => name === 'quirl_journal_backlog_bytes')?.read() ?? Number.NaN
}

async function compare(server: TestServer, { link, state, scans }: ModelLink, now: number): Promise<void> {
  const url = `${server.url}/api/manage/${link.token}`
  const details = await fetch(url)
  if (state === 'deleted') {
    assert.equal(details.status, 404)
    return
  }
  const seen = new Set<string>()
  const rows = scans.map((scan) => {
    const key = `${scan.visitor}|${dateOf(scan.at)}`
    const unique = !seen.has(key)
    seen.add(key)
    return { ...scan, unique }
  })
  const text = await (await fetch(`${url}/scans.csv`)).text()
  const lines = text.split('\r\n').slice(1, -1)
  assert.deepEqual(
    lines.map((line) => line.split(',').filter((_, column) => [0, 1, 8, 9].includes(column))),
    rows.map(({ at, isQr, unique, bot }) => [
      new Date(at).toISOString(),
      isQr ? 'qr' : 'link',
      String(unique),
      String(bot),
    ]),
  )
  const { totals } = (await details.json()) as { totals: Record<string, unknown> }
  const last = rows.at(-1)
  assert.deepEqual(totals, {
    ...countsOf(rows),
    last_scan_at: last === undefined ? null : new Date(last.at).toISOString(),
  })
  for (const [tz, offset] of [
    ['UTC', 0],
    ['Asia/Kathmandu', KATHMANDU_OFFSET],
  ] as const) {
    const read = await fetch(`${url}/stats?days=20&tz=${tz}`)
    const stats = (await read.json()) as {
      totals: Record<string, number>
      series: { date: string; scans: number; unique_visitors: number }[]
      breakdowns: Record<string, { value: string | null; scans: number; unique_visitors: number }[]>
    }
    const inWindow = rows.filter(({ at }) => dateOf(at + offset) > dateOf(now + offset - 20 * 24 * HOUR))
    assert.deepEqual(stats.totals, countsOf(inWindow), tz)
    for (const { date, scans: count, unique_visitors: uniques } of stats.series) {
      const ofDay = countsOf(inWindow.filter(({ at }) => dateOf(at + offset) === date))
      assert.deepEqual([count, uniques], [ofDay.scans, ofDay.unique_visitors], `${tz} ${date}`)
    }
    const devices = Object.fromEntries((stats.breakdowns['device'] ?? []).map((row) => [row.value, row.scans]))
    const { humans, bots } = countsOf(inWindow)
    assert.deepEqual(devices, { ...(humans > 0 && { desktop: humans }), ...(bots > 0 && { null: bots }) })
  }
}

function countsOf(rows: (ModelScan & { unique: boolean })[]) {
  const count = (wanted: (row: ModelScan & { unique: boolean }) => boolean) => rows.filter(wanted).length
  return {
    scans: rows.length,
    humans: count(({ bot }) => !bot),
    bots: count(({ bot }) => bot),
    unique_visitors: count(({ unique }) => unique),
    qr: count(({ isQr }) => isQr),
    link: count(({ isQr }) => !isQr),
  }
}

function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
