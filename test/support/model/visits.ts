import assert from 'node:assert/strict'
import { fc } from '../fast-check.ts'
import { visit } from '../server.ts'
import {
  command,
  fieldsOf,
  HOUR,
  linkAt,
  workingUrl,
  type CommandKind,
  type ModelLink,
  type ModelScan,
  type World,
} from './model.ts'

const KATHMANDU_OFFSET = 5.75 * HOUR

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const crawler = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'

const visitor = { link: fc.nat(3), address: fc.nat(3), isQr: fc.boolean(), bot: fc.boolean() }

/** Visits by a few people and robots. */
export const visits: CommandKind[] = [
  command('visit', 14, visitor, async (world, { link, address, isQr, bot }) => {
    const one = linkAt(world, link)
    const { target, active } = fieldsOf(one)
    const at = ++world.now
    const headers = { 'x-forwarded-for': `81.2.69.${address + 1}`, 'user-agent': bot ? crawler : browser }
    const response = await visit(`${world.server.url}/${one.link.code}${isQr ? '?qr=1' : ''}`, headers)
    const isLive = active && !one.isDeleted
    assert.equal(response.status, one.isDeleted ? 410 : active ? 302 : 404)
    assert.equal(response.headers.get('location'), isLive ? target : null)
    if (isLive) one.scans.push({ at, isQr, bot, visitor: `${address}|${bot}` })
  }),
]

/** Compares all counts with the list of the scans. */
export async function checkCounts(world: World, one: ModelLink): Promise<void> {
  const url = workingUrl(world, one)
  const { now } = world
  const { scans } = one
  const details = await fetch(url)
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
