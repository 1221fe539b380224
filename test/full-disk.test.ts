// What strangers and owners can do while the disk is nearly full, or full.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { command } from './support/cli.ts'
import { poll } from './support/poll.ts'
import { start, type Service } from './support/program.ts'
import { existsSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { skipUnlessCi } from './support/programs.ts'
import { create, post, put, startServer, visit, type Created, type TestServer } from './support/server.ts'
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

async function detailOf({ url }: Pick<Service, 'url'>): Promise<{ status: number; detail?: string }> {
  const response = await fetch(`${url}/readyz`)
  return { status: response.status, detail: ((await response.json()) as { detail?: string }).detail ?? '' }
}

async function metric({ url }: Pick<Service, 'url'>, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
}

async function visitTimes({ short_url: url }: Created, times: number): Promise<void> {
  for (let time = 0; time < times; time++) assert.equal((await visit(url)).status, 302)
}

/** The statistics of a link, and what its export has. */
async function countsOf({ url }: Pick<Service, 'url'>, { token }: Created) {
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

test('below half of the floor visits take no room for their visitors and referrers, and count; new visitors do later, which is said', async (t) => {
  const disk = mountedDisk(t)
  if (disk === undefined) return
  const service = await start(t, disk.folder, [...UNLIMITED, '--disk-floor=20M', '--trust-proxy=127.0.0.1'])
  const link = await create(service, { target: 'https://example.com/' })
  const visitors = async (first: number) => {
    for (let each = first; each < first + 300; each++) {
      const headers = { 'x-forwarded-for': `2001:db8:0:${each}::1`, referer: `https://${each}.example.com/` }
      assert.equal((await visit(link.short_url, headers)).status, 302)
    }
    const { scans, missing } = await countsOf(service, link)
    const stats = await (await fetch(`${service.url}/api/manage/${link.token}/stats?limit=10`)).json()
    return { scans, missing, unique: (stats as { unique_visitors: number }).unique_visitors }
  }
  const stored = () => {
    const today = readdirSync(join(disk.folder, 'visitors')).find((name) => name.endsWith('.keys')) ?? ''
    const scans = new DatabaseSync(join(disk.folder, 'scans.db'), { readOnly: true })
    const [{ texts }] = scans.prepare('select count(*) as texts from dictionary').all() as [{ texts: number }]
    scans.close()
    return { texts, keys: statSync(join(disk.folder, 'visitors', today)).size }
  }
  assert.deepEqual(await visitors(0), { scans: 300, missing: 0, unique: 300 })

  disk.fillBut(8 * MIB)
  await poll(async () => /and new visitors are not counted/.test((await detailOf(service)).detail ?? ''))
  const before = stored()
  assert.deepEqual(await visitors(1000), { scans: 600, missing: 300, unique: 300 })
  assert.deepEqual(await visitors(0), { scans: 900, missing: 600, unique: 300 })
  assert.deepEqual(stored(), before)
  assert.equal(await metric(service, 'quirl_disk_scarce'), 1)
  assert.equal(await metric(service, 'quirl_scans_untold_total'), 300)
  assert.match((await command(disk.folder, 'doctor')).stdout, /new visitors are not counted/)

  disk.free()
  await poll(async () => (await detailOf(service)).detail === '')
  assert.deepEqual(await visitors(1000), { scans: 1200, missing: 600, unique: 600 })
  assert.equal(times(service.output(), 'has less than half of the floor free'), 1)
})

test('below a quarter of the floor visits take no room at all, and links can be created and changed; it ends by itself', async (t) => {
  const disk = mountedDisk(t)
  if (disk === undefined) return
  const service = await start(t, disk.folder, [...UNLIMITED, '--disk-floor=40M'])
  const link = await create(service, { target: 'https://example.com/' })
  await visitTimes(link, 2)
  assert.equal((await countsOf(service, link)).scans, 2)

  disk.fillBut(8 * MIB)
  await poll(async () => /visits are not counted/.test((await detailOf(service)).detail ?? ''))
  assert.equal((await detailOf(service)).status, 200)
  await visitTimes(link, 5)
  assert.equal(await metric(service, 'quirl_journal_backlog_bytes'), 0)
  assert.equal((await countsOf(service, link)).scans, 2)
  assert.equal(await metric(service, 'quirl_scans_lost_total'), 5)
  assert.equal(await metric(service, 'quirl_disk_critical'), 1)
  assert.equal(await metric(service, 'quirl_disk_full'), 0)
  const other = await create(service, { target: 'https://example.com/other' })
  const change = await put(`${service.url}/api/manage/${other.token}`, { target: 'https://example.com/changed' })
  assert.equal(change.status, 200)
  assert.match((await command(disk.folder, 'doctor')).stdout, /visits are answered, and not counted/)

  disk.free()
  await poll(async () => (await detailOf(service)).detail === '')
  await visitTimes(link, 1)
  assert.equal((await countsOf(service, link)).scans, 3)
  assert.equal(times(service.output(), 'visits are answered, and not counted, until there is room'), 1)
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

const RESERVE_BYTES = DISK_BYTES / 16

/** A service whose reserve is there, with links that were visited. */
async function startReserved(t: TestContext, disk: SmallDisk, reserveBytes = RESERVE_BYTES) {
  const settings = { DATA_DIR: disk.folder, DISK_FLOOR: 'off', LIMIT_LINKS: '0', LIMIT_BULK: '0', LIMIT_CHANGES: '0' }
  const server = await startServer(t, settings, undefined, { disk: { checkMs: 100, reserveAfterMs: 0, reserveBytes } })
  const links: Created[] = []
  for (let at = 0; at < 40; at++)
    links.push(await create(server, { target: `https://host${at % 4}.example.com/${at}` }))
  for (const link of links) await visitTimes(link, 2)
  await server.services.scans.fold()
  await poll(async () => (await metric(server, 'quirl_disk_reserve_bytes')) === reserveBytes)
  return { server, links }
}

/** Visits until the disk takes no more of them. */
async function fillByVisits(server: TestServer, link: Created): Promise<void> {
  const lane = async () => {
    while ((await detailOf(server)).status === 200) await visitTimes(link, 50)
  }
  await Promise.all(Array.from({ length: 8 }, lane))
}

/** What must be possible on a full disk: asserts that it is. */
async function useReserve({ url, dataDir }: TestServer, links: Created[]): Promise<void> {
  const manage = (link?: Created) => `${url}/api/manage/${link?.token}`
  const [paused, byPage, deleted, blocked, ...others] = links
  assert.equal((await put(manage(paused), { active: false })).status, 200)
  const form = { method: 'POST', body: new URLSearchParams({ action: 'pause' }), redirect: 'manual' } as const
  assert.equal((await fetch(`${url}/m/${byPage?.token}`, form)).status, 303)
  assert.equal((await fetch(manage(deleted), { method: 'DELETE' })).status, 200)
  const block = await command(dataDir, 'block', blocked?.code ?? '', '--reason=phishing')
  assert.deepEqual([block.status, block.stderr], [0, ''])
  const changes = others.slice(0, 10).map(({ token }) => ({ token, active: false }))
  const many = (await (await post(`${url}/api/manage`, { changes })).json()) as { changed: number }
  assert.equal(many.changed, 10)
  for (const link of others.slice(10, 20)) assert.equal((await fetch(manage(link), { method: 'DELETE' })).status, 200)
  assert.equal((await command(dataDir, 'block', 'host3.example.com')).status, 0)
  const seen = [paused, byPage, deleted, blocked].map(async (link) => (await visit(link?.short_url ?? '')).status)
  assert.deepEqual(await Promise.all(seen), [404, 404, 410, 410])
  // Those of the blocked host.
  const left = others.slice(20)
  const isBlocked = async ({ short_url: shortUrl }: Created) => (await visit(shortUrl)).status === 410
  await poll(async () => (await Promise.all(left.map(isBlocked))).filter(Boolean).length === 4)
}

/** How many of these links have scans in `scans.db`. */
function scannedLinks(dataDir: string): number {
  const db = new DatabaseSync(join(dataDir, 'scans.db'), { readOnly: true })
  const row = db.prepare('select count(*) as links from totals').get() as { links: number }
  db.close()
  return row.links
}

test('strangers whose visits fill the disk keep nobody from pausing, deleting and blocking, and creations are refused until there is room', async (t) => {
  const disk = mountedDisk(t)
  if (disk === undefined) return
  const { server, links } = await startReserved(t, disk)
  const [visited, edited, ...owned] = links
  assert.ok(visited && edited)
  disk.fillBut(3 * MIB)
  await fillByVisits(server, visited)
  assert.match((await detailOf(server)).detail ?? '', /is full: links can be paused, deleted and blocked/)
  assert.ok(!existsSync(join(disk.folder, 'reserve')))

  const refused = await post(`${server.url}/api/links`, { target: 'https://example.com/' })
  assert.equal(refused.status, 503)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  assert.match(((await refused.json()) as { detail: string }).detail, /is full, and nothing was changed/)
  assert.equal((await put(`${server.url}/api/manage/${edited.token}`, { title: 'Menu' })).status, 503)
  const recorded = await metric(server, 'quirl_scans_recorded_total')
  const lost = await metric(server, 'quirl_scans_lost_total')
  await visitTimes(edited, 20)
  assert.equal(await metric(server, 'quirl_scans_recorded_total'), recorded, 'the reserve is not for visits')
  assert.ok((await metric(server, 'quirl_scans_lost_total')) >= lost + 20)
  await useReserve(server, owned)
  await poll(() => scannedLinks(disk.folder) === links.length - 11)
  assert.match(
    (await command(disk.folder, 'doctor')).stdout,
    /the disk is full: links can be paused, deleted and blocked/,
  )

  disk.free()
  await poll(async () => (await detailOf(server)).status === 200)
  assert.equal(statSync(join(disk.folder, 'reserve')).size, RESERVE_BYTES)
  assert.equal((await put(`${server.url}/api/manage/${edited.token}`, { title: 'Menu' })).status, 200)
  await create(server, { target: 'https://example.com/' })
  await visitTimes(edited, 3)
  const { scans } = (await countsOf(server, edited)) as { scans: number }
  assert.equal(scans, 5)
  const said = server.logged.map(({ msg }) => String(msg)).join()
  assert.equal(times(said, 'its reserve is released'), 1)
  assert.equal(times(said, 'its reserve is restored'), 1)
})

test('the first pause, deletion or block on a disk that has just become full succeeds', async (t) => {
  const disk = mountedDisk(t)
  if (disk === undefined) return
  for (const first of ['block', 'pause', 'delete', 'delete with a way back'] as const) {
    const { server, links } = await startReserved(t, disk)
    const [one] = links
    assert.ok(one)
    const { isFull } = server.services.disk
    disk.fill()
    const api = `${server.url}/api/manage/${one.token}`
    const answer: Record<typeof first, () => Promise<number>> = {
      block: async () => (await command(disk.folder, 'block', one.code)).status,
      pause: async () => (await put(api, { active: false })).status,
      delete: async () => (await fetch(api, { method: 'DELETE' })).status,
      'delete with a way back': async () => (await fetch(`${api}?undo=true`, { method: 'DELETE' })).status,
    }
    assert.equal(await answer[first](), first === 'block' ? 0 : 200, first)
    assert.ok(isFull(), 'the reserve was needed')
    disk.free()
    await poll(async () => (await detailOf(server)).status === 200)
    await server.stop()
  }
})

/** Creates links from 500 rows at a time. @returns their tokens */
async function createMany({ url }: TestServer, requests: number): Promise<string[]> {
  const rows = Array.from({ length: 500 }, (_, at) => ({ target: `https://example.com/${at}` }))
  const tokens: string[] = []
  for (let at = 0; at < requests; at++) {
    const { results } = (await (await post(`${url}/api/bulk`, rows)).json()) as { results: { token: string }[] }
    tokens.push(...results.map(({ token }) => token))
  }
  return tokens
}

/** Pauses links, 500 at a time, until that is refused. @returns how many it has paused */
async function pauseMany({ url }: TestServer, tokens: string[]): Promise<number> {
  for (let at = 0; at < tokens.length; at += 500) {
    const changes = tokens.slice(at, at + 500).map((token) => ({ token, active: false }))
    const response = await post(`${url}/api/manage`, { changes })
    if (response.status !== 200) {
      assert.equal(response.status, 503)
      return at
    }
  }
  return tokens.length
}

test('a stranger who pauses all of his links on a full disk leaves enough of the reserve to delete, and to block him', async (t) => {
  const disk = mountedDisk(t)
  if (disk === undefined) return
  const reserveBytes = 2 * MIB
  const { server, links } = await startReserved(t, disk, reserveBytes)
  const [deleted, blocked, paused] = links
  const own = await createMany(server, 90)
  disk.fillBut(MIB / 2)
  await poll(async () => (await detailOf(server)).status === 503)
  const done = await pauseMany(server, own)
  assert.ok(done > 0 && done < own.length, String(done))
  const { bavail, bsize } = statfsSync(disk.folder)
  assert.ok(bavail * bsize > reserveBytes / 3, String(bavail * bsize))

  const manage = (link?: Created) => `${server.url}/api/manage/${link?.token}`
  assert.equal((await fetch(manage(deleted), { method: 'DELETE' })).status, 200)
  assert.equal((await command(disk.folder, 'block', blocked?.code ?? '')).status, 0)
  assert.equal((await command(disk.folder, 'warn', paused?.code ?? '')).status, 0)
  assert.equal((await command(disk.folder, 'block', 'stranger.example.com')).status, 0)
  const refused = await put(manage(paused), { active: false })
  assert.equal(refused.status, 503)
  assert.match(((await refused.json()) as { detail: string }).detail, /is full, and nothing was changed/)
  disk.free()
  await poll(async () => (await detailOf(server)).status === 200)
  assert.equal((await put(manage(paused), { active: false })).status, 200)
})

test('the keys of visitors are destroyed when their day is over, also while the disk is full', async (t) => {
  const small = mountedDisk(t)
  if (small === undefined) return
  let now = Date.UTC(2026, 10, 20, 23)
  const overrides = { disk: { checkMs: 1e9, reserveBytes: 0 } }
  const server = await startServer(t, { DATA_DIR: small.folder, DISK_FLOOR: 'off' }, () => now, overrides)
  const link = await create(server, { target: 'https://example.com/' })
  await visitTimes(link, 1)
  const { scans, disk } = server.services
  await scans.fold()
  const keys = () => readdirSync(join(server.dataDir, 'visitors')).filter((name) => name.endsWith('.keys'))
  const [ofToday] = keys()
  assert.ok(ofToday)
  await visitTimes(link, 1)
  small.fillBut(MIB / 2)
  disk.release()
  now += 2 * 3_600_000
  assert.equal(await scans.fold(), false)
  assert.ok(!keys().includes(ofToday))
})

test('a service whose disk was filled while it was stopped starts, and links can be paused, deleted and blocked', async (t) => {
  const disk = mountedDisk(t)
  if (disk === undefined) return
  const { server, links } = await startReserved(t, disk)
  await server.stop()
  disk.fill()
  const again = await startServer(t, { DATA_DIR: disk.folder, DISK_FLOOR: 'off' }, undefined, {
    disk: { checkMs: 100 },
  })
  assert.match((await detailOf(again)).detail ?? '', /is full: links can be paused, deleted and blocked/)
  const moved = links.map((link) => ({ ...link, short_url: `${again.url}/${link.code}` }))
  await useReserve(again, moved)
  disk.free()
  await poll(async () => (await detailOf(again)).status === 200)
})
