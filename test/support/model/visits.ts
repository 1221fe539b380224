import assert from 'node:assert/strict'
import { visit } from '../server.ts'
import {
  command,
  fieldsOf,
  HOUR,
  workingUrl,
  type CommandKind,
  type ModelLink,
  type ModelScan,
  type World,
} from './model.ts'
import { fc } from '../fast-check.ts'
import { answerOf, arrive, byVisitors, expectAnswer, visitor, type Visitor } from './visitors.ts'

/** A scan, and whether it is the one that counts its visitor on its day. */
type CountedScan = ModelScan & { unique: boolean }

const KATHMANDU_OFFSET = 5.75 * HOUR

/** Visits, and requests that are none. */
export const visits: CommandKind[] = [
  command('visit', 14, byVisitors, async (world, { link, visitors }) => {
    for (const visitor of visitors) await visitBy(world, link, visitor)
  }),
  command('look', 3, { link: fc.nat(3), visitor }, async (world, { link, visitor }) => {
    const { one, url, headers, facts } = await arrive(world, link, visitor)
    const head = await fetch(url, { method: 'HEAD', redirect: 'manual', headers })
    const preview = await visit(`${world.server.url}/${one.link.code}+`)
    // The host of an address is emphasised.
    const text = (await preview.text()).replace(/<\/?strong>/g, '')
    const { target, rules } = fieldsOf(one)
    const targets = [target, ...rules.flatMap(({ then }) => then.target ?? [])]
    for (const each of targets) assert.equal(text.includes(`<code>${each}</code>`), isOpen(one))
    assert.equal(preview.status, statusOf(one))
    if (isOpen(one)) await expectAnswer(head, answerOf(one, facts), 302)
    else expectClosed(head, one)
  }),
]

async function visitBy(world: World, link: number, visitor: Visitor): Promise<void> {
  const { one, url, headers, facts, scan } = await arrive(world, link, visitor)
  const response = await visit(url, headers)
  if (!isOpen(one)) return expectClosed(response, one)
  const answer = answerOf(one, facts)
  await expectAnswer(response, answer, 302)
  one.scans.push({ ...scan, answer: answer.by })
}

/** Whether visitors need no password. */
function isOpen(one: ModelLink): boolean {
  return statusOf(one) === 200 && one.password === null
}

/** The status of a page about the link. */
function statusOf(one: ModelLink): number {
  if (one.isDeleted) return 410
  return fieldsOf(one).active ? 200 : 404
}

/** The form of a link with a password, or that it is paused or deleted. */
function expectClosed({ status, headers }: Response, one: ModelLink): void {
  assert.deepEqual([status, headers.get('location')], [statusOf(one), null])
}

/** Compares all counts with the list of the scans. */
export async function checkCounts(world: World, one: ModelLink): Promise<void> {
  const url = workingUrl(world, one)
  const { now } = world
  const { scans } = one
  const details = await fetch(url)
  const text = await (await fetch(`${url}/scans.csv`)).text()
  const lines = text.split('\r\n').slice(1, -1)
  const cells = lines.map((line) => line.split(',').filter((_, column) => [0, 1, 8, 9, 10].includes(column)))
  const rows = world.isOneNode
    ? withFirsts(scans)
    : withFound(
        scans,
        cells.map(([, , unique]) => unique === 'true'),
      )
  assert.deepEqual(
    cells,
    rows.map(({ at, isQr, unique, bot, answer }) => [
      new Date(at).toISOString(),
      isQr ? 'qr' : 'link',
      String(unique),
      String(bot),
      answer,
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
    for (const [name, of] of Object.entries(breakdownsOf)) {
      const found = (stats.breakdowns[name] ?? []).map((row) => [row.value, row.scans])
      const expected = Map.groupBy(inWindow, of)
      assert.deepEqual(
        new Map(found as [string | null, number][]),
        new Map(Array.from(expected, ([value, all]) => [value, all.length])),
        `${tz} ${name}`,
      )
    }
  }
}

/** Of the scans of a visitor on a day, the first is the unique one. */
function withFirsts(scans: ModelScan[]): CountedScan[] {
  const seen = new Set<string>()
  return scans.map((scan) => {
    const key = visitorOfDay(scan)
    const unique = !seen.has(key)
    seen.add(key)
    return { ...scan, unique }
  })
}

/** On several nodes it is the one that was folded first: any, but exactly one. */
function withFound(scans: ModelScan[], flags: boolean[]): CountedScan[] {
  const rows = scans.map((scan, at) => ({ ...scan, unique: flags[at] ?? false }))
  const found = rows.filter(({ unique }) => unique).map(visitorOfDay)
  assert.deepEqual(found.toSorted(), [...new Set(scans.map(visitorOfDay))].toSorted())
  return rows
}

function visitorOfDay({ visitor, at }: ModelScan): string {
  return `${visitor}|${dateOf(at)}`
}

/** The values of the breakdowns. */
const breakdownsOf = {
  device: ({ device }: ModelScan) => device,
  answer: ({ answer }: ModelScan) => answer,
}

function countsOf(rows: CountedScan[]) {
  const count = (wanted: (row: CountedScan) => boolean) => rows.filter(wanted).length
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
