// What strangers and owners can do while the disk is nearly full, or full.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { command } from './support/cli.ts'
import { poll } from './support/poll.ts'
import { start, type Service } from './support/program.ts'
import { skipUnlessCi } from './support/programs.ts'
import { create, visit, type Created } from './support/server.ts'
import { smallDisk, type SmallDisk } from './support/small-disk.ts'
import { UNLIMITED } from './support/workload.ts'

const MIB = 2 ** 20
const DISK_BYTES = 96 * MIB

/** A disk whose free space the program sees. */
function mountedDisk(t: TestContext): Required<SmallDisk> | undefined {
  const disk = smallDisk(t, DISK_BYTES)
  if (disk?.fillBut !== undefined) return { ...disk, fillBut: disk.fillBut }
  skipUnlessCi(t, 'this user may not mount a file system: its free space cannot be made small')
  return undefined
}

async function detailOf({ url }: Service): Promise<{ status: number; detail?: string }> {
  const response = await fetch(`${url}/readyz`)
  return { status: response.status, detail: ((await response.json()) as { detail?: string }).detail ?? '' }
}

async function metric({ url }: Service, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
}

async function visitTimes({ short_url: url }: Created, times: number): Promise<void> {
  for (let time = 0; time < times; time++) assert.equal((await visit(url)).status, 302)
}

/** The statistics of a link, and what its export has. */
async function countsOf({ url }: Service, { token }: Created) {
  const api = `${url}/api/manage/${token}`
  const stats = (await (await fetch(`${api}/stats`)).json()) as { totals: { scans: number }; raw_missing: number }
  const csv = await fetch(`${api}/scans.csv`)
  const rows = (await csv.text()).trim().split('\n').length - 1
  const bundle = await fetch(`${api}/bundle`)
  await bundle.arrayBuffer()
  const header = csv.headers.get('quirl-raw-missing')
  assert.equal(bundle.headers.get('quirl-raw-missing'), header)
  return { scans: stats.totals.scans, missing: stats.raw_missing, rows, header }
}

const times = (text: string, part: string) => text.split(part).length - 1

test('below the floor of free space visits count and are not stored one by one, which is said everywhere; above it they are again', async (t) => {
  const disk = mountedDisk(t)
  if (disk === undefined) return
  const service = await start(t, disk.folder, [...UNLIMITED, '--disk-floor=20M'])
  const link = await create(service, { target: 'https://example.com/' })
  await visitTimes(link, 3)
  assert.deepEqual(await countsOf(service, link), { scans: 3, missing: 0, rows: 3, header: '0' })
  assert.deepEqual(await detailOf(service), { status: 200, detail: '' })

  disk.fillBut(12 * MIB)
  await poll(async () => /visits count, but are not stored/.test((await detailOf(service)).detail ?? ''))
  assert.equal((await detailOf(service)).status, 200)
  await visitTimes(link, 4)
  assert.deepEqual(await countsOf(service, link), { scans: 7, missing: 4, rows: 3, header: '4' })
  assert.equal(await metric(service, 'quirl_disk_low'), 1)
  assert.equal(await metric(service, 'quirl_disk_floor_bytes'), 20 * MIB)
  assert.equal(await metric(service, 'quirl_scans_only_counted_total'), 4)
  const page = async (language: string) =>
    (await fetch(`${service.url}/m/${link.token}?audience=all`, { headers: { 'accept-language': language } })).text()
  assert.match(await page('en'), /4 visits are counted and not in the download/)
  assert.match(await page('de'), /4 Besuche sind nur gezählt und nicht im Download/)
  assert.match((await command(disk.folder, 'status')).stdout, /is ready; the disk of DATA_DIR is nearly full/)
  assert.match((await command(disk.folder, 'doctor')).stdout, /less than 20 MiB are free \(DISK_FLOOR\): visits count/)

  disk.free()
  await poll(async () => (await detailOf(service)).detail === '')
  await visitTimes(link, 2)
  assert.deepEqual(await countsOf(service, link), { scans: 9, missing: 4, rows: 5, header: '4' })
  assert.equal(times(service.output(), 'visits count as before, but are no longer stored'), 1)
  assert.equal(times(service.output(), 'has room again'), 1)
})

test('a small disk that is empty is above the usual floor', async (t) => {
  const disk = mountedDisk(t)
  if (disk === undefined) return
  const service = await start(t, disk.folder, UNLIMITED)
  assert.equal(await metric(service, 'quirl_disk_low'), 0)
  assert.equal(await metric(service, 'quirl_disk_floor_bytes'), Math.floor(DISK_BYTES / 20))
})

test('of a link and hour as many visits are stored one by one as LIMIT_RAW_SCANS, and all count', async (t) => {
  const service = await start(t, undefined, [...UNLIMITED, '--limit-raw-scans=5'])
  const [link, other] = [
    await create(service, { target: 'https://example.com/' }),
    await create(service, { target: 'https://example.com/other' }),
  ]
  await visitTimes(link, 4)
  await countsOf(service, link)
  await visitTimes(link, 4)
  await visitTimes(other, 2)
  const { rows, ...counts } = await countsOf(service, link)
  // The hour may end meanwhile.
  assert.ok(rows >= 5 && rows <= 8, String(rows))
  assert.deepEqual(counts, { scans: 8, missing: 8 - rows, header: String(8 - rows) })
  assert.deepEqual(await countsOf(service, other), { scans: 2, missing: 0, rows: 2, header: '0' })
})
