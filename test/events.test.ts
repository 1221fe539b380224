// Events: what the API, the pages, the commands and the calendar file say of one link.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import ICAL from 'ical.js'
import { outcomeOf } from '../src/main.ts'
import { accessibilityFaults, press, sharedWindows, testsIn, type } from './support/browser.ts'
import { endOfFile, temporaryFolder } from './support/cleanup.ts'
import { command } from './support/cli.ts'
import {
  create,
  post,
  put,
  startServer,
  visit,
  type Created,
  type TestServer,
  manage,
  details,
} from './support/server.ts'
import { makeArchive, bundleWithoutVisits } from './support/zip.ts'

const fair = {
  kind: 'event',
  summary: 'Summer fair',
  start: '2027-06-12T14:00+02:00',
  end: '2027-06-12T18:00+02:00',
  timezone: 'Europe/Berlin',
  location: 'Market square',
  description: 'Music, cake.\nBring friends; all of them.',
  url: 'https://example.com/fair',
}

const end = endOfFile()
let server: TestServer
let now = Date.UTC(2026, 10, 26, 17)
const inBrowser = testsIn(sharedWindows(end, () => server.url))
before(async () => {
  server = await startServer(end, { LIMIT_LINKS: '0' }, () => now)
})

const detailsOf = (link: Pick<Created, 'token'>) =>
  details<{ payload: Record<string, unknown>; utm: object }>(server, link)

/** What an independent parser reads of the file of a link. */
async function read(link: Pick<Created, 'code'>, of = server.url) {
  const response = await visit(`${of}/${link.code}.ics`)
  assert.equal(response.status, 200)
  const component = new ICAL.Component(ICAL.parse(await response.text()) as never[]).getFirstSubcomponent('vevent')
  assert.ok(component)
  const event = new ICAL.Event(component)
  return {
    uid: event.uid,
    sequence: event.sequence,
    summary: event.summary,
    location: event.location,
    description: event.description,
    start: event.startDate.toJSDate().toISOString(),
    end: event.endDate.toJSDate().toISOString(),
    url: component.getFirstPropertyValue('url')?.toString(),
    stamp: (component.getFirstPropertyValue('dtstamp') as ICAL.Time).toJSDate().getTime(),
  }
}

test('an event has a page, and a file of its own type that says the same, at its address and for clients that prefer it', async () => {
  const link = await create(server, { ...fair, alias: 'fair', utm: { utm_source: 'poster' } })
  const page = await visit(link.short_url, { 'accept-language': 'de' })
  const markup = await page.text()
  for (const part of [
    '<h1 lang="" dir="auto">Summer fair</h1>',
    'Samstag, 12. Juni 2027',
    'Mitteleuropäische Sommerzeit',
    'Market square',
    'Music, cake.\nBring friends; all of them.',
    'href="https://example.com/fair?utm_source=poster" rel="noopener nofollow"',
    'href="/fair.ics"',
    'Zum Kalender hinzufügen',
  ])
    assert.ok(markup.includes(part), part)
  for (const response of [
    await visit(`${link.short_url}.ics`),
    await visit(`${server.url}/FAIR.ics`),
    await visit(link.short_url, { accept: 'text/calendar' }),
  ]) {
    assert.equal(response.headers.get('content-type'), 'text/calendar; charset=utf-8')
    assert.equal(response.headers.get('content-disposition'), 'attachment; filename="fair.ics"')
    assert.match(await response.text(), /^BEGIN:VCALENDAR\r\n/)
  }
  const { uid, ...event } = await read(link)
  assert.match(uid, /^[0-9a-f-]{36}$/)
  assert.deepEqual(event, {
    sequence: 0,
    summary: fair.summary,
    location: fair.location,
    description: fair.description,
    start: '2027-06-12T12:00:00.000Z',
    end: '2027-06-12T16:00:00.000Z',
    url: 'https://example.com/fair?utm_source=poster',
    stamp: now,
  })
  const other = await create(server, { ...fair, alias: 'other' })
  assert.notEqual((await read(other)).uid, uid)
  const { kind: _kind, ...fields } = fair
  assert.deepEqual((await detailsOf(link)).payload, fields)
  const preview = await (await visit(`${link.short_url}+`)).text()
  assert.match(preview, /https:\/\/<strong>example\.com<\/strong>\/fair/)
})

test('a link of another kind has no calendar file, and the ending makes no code', async () => {
  const link = await create(server, { target: 'https://example.com/' })
  assert.equal((await visit(`${link.short_url}.ics`)).status, 404)
  assert.equal((await post(`${server.url}/api/links`, { ...fair, alias: 'fair.ics' })).status, 400)
  assert.equal((await visit(`${server.url}/nothing-at-all.ics`)).status, 404)
  await create(server, { target: 'https://example.com/', alias: 'ics' })
})

test('its calendar entry keeps its identity, and each change gives it a later version, also going back', async () => {
  const link = await create(server, fair)
  const { uid } = await read(link)
  const versions = [await read(link)]
  const change = async (body: object) => {
    now += 60_000
    assert.equal((await put(manage(server, link), body)).status, 200)
    versions.push(await read(link))
  }
  await change({ start: '2027-06-12T15:00+02:00' })
  // Nothing that a calendar shows.
  await change({ title: 'For the owner' })
  await change({ payload: { location: null } })
  // Nothing at all.
  await change({ summary: fair.summary })
  await change({ utm: { utm_source: 'poster' } })
  now += 60_000
  assert.equal((await post(manage(server, link, '/revert'), { revision: 1 })).status, 200)
  versions.push(await read(link))
  assert.deepEqual(
    versions.map(({ sequence }) => sequence),
    [0, 1, 1, 2, 2, 3, 4],
  )
  assert.deepEqual([...new Set(versions.map((each) => each.uid))], [uid])
  const [first, last] = [versions[0], versions.at(-1)]
  assert.deepEqual({ ...last, sequence: 0, stamp: first?.stamp }, first)
  assert.equal(last?.stamp, now)
  assert.equal((await post(manage(server, link, '/rotate'), {})).status, 200)
})

test('what calendars know an event by is no field: nobody sets it, and neither details nor history have it', async () => {
  const calendar = { uid: 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6', sequence: 7, revised: 0 }
  const created = await post(`${server.url}/api/links`, { ...fair, calendar, payload: { calendar } })
  const link = (await created.json()) as Created
  await put(manage(server, link), { calendar, payload: { calendar, summary: 'Fair' } })
  const { uid, sequence } = await read(link)
  assert.notEqual(uid, calendar.uid)
  assert.equal(sequence, 1)
  assert.doesNotMatch(JSON.stringify(await detailsOf(link)), /calendar/)
  assert.doesNotMatch(await (await fetch(manage(server, link, '/history'))).text(), /calendar|revised/)
})

interface Row {
  code?: string
  error?: { errors: { pointer: string }[] }
}

test('events come in bulk, and are refused by row', async () => {
  const rows = [fair, { ...fair, end: '2027-06-12T13:00+02:00' }, { ...fair, end: '2027-06-12' }]
  const response = await post(`${server.url}/api/bulk`, rows)
  const { results } = (await response.json()) as { results: Row[] }
  assert.deepEqual(
    results.map(({ error }) => (error?.errors ?? []).map(({ pointer }) => pointer)),
    [[], ['/end'], ['/end']],
  )
  assert.equal((await read({ code: results[0]?.code ?? '' })).summary, fair.summary)
})

test('an address that the operator blocks is refused in an event, also with its UTM parameters', async () => {
  const run = await command(server.dataDir, 'block', 'bad.example/x?utm_source=poster')
  assert.equal(run.status, 0, run.stderr)
  const body = { ...fair, url: 'https://bad.example/x', utm: { utm_source: 'poster' } }
  const refused = await post(`${server.url}/api/links`, body)
  const { errors } = (await refused.json()) as { errors: { pointer: string }[] }
  assert.deepEqual([refused.status, errors.map(({ pointer }) => pointer)], [422, ['/url']])
})

test('a moved event is still the one that calendars know, and its next version is a later one', async (t) => {
  const link = await create(server, { ...fair, alias: 'moved' })
  await put(manage(server, link), { summary: 'Fair' })
  const before = await read(link)
  const file = join(temporaryFolder(t), 'link.zip')
  writeFileSync(file, Buffer.from(await (await fetch(manage(server, link, '/bundle'))).arrayBuffer()))
  const target = await startServer(t, {}, () => now)
  const imported = await command(target.dataDir, 'import', file, '--from=quirl')
  assert.equal(imported.status, 0, imported.stderr)
  assert.deepEqual(await read(link, target.url), before)

  // What is no stamp of a calendar is left out, and the event begins anew.
  const forged = { ...fair, calendar: { uid: 'x\r\nATTENDEE:x', sequence: -1, revised: 0 } }
  const { kind, ...payload } = forged
  const files = bundleWithoutVisits('forged')
  const content = { ...(JSON.parse(files['link.json'] ?? '') as object), kind, target: null, payload }
  const packed = Object.entries({ ...files, 'link.json': JSON.stringify(content) })
  writeFileSync(file, makeArchive(packed.map(([name, content]) => ({ name, content }))))
  const again = await command(target.dataDir, 'import', file, '--from=quirl')
  assert.equal(again.status, 0, again.stderr)
  assert.match((await read({ code: 'forged' }, target.url)).uid, /^[0-9a-f-]{36}$/)
})

test('the commands name the kind, and create an event from a file', async (t) => {
  for (const name of ['shorten', 'links'])
    assert.match((await outcomeOf([name, '--help'])).stdout, /--kind=… +.*\bevent\b/)
  const file = join(temporaryFolder(t), 'event.json')
  const { kind, ...fields } = fair
  writeFileSync(file, JSON.stringify(fields))
  const args = ['shorten', `--kind=${kind}`, `--fields=${file}`, '--alias=by-command', `--server=${server.url}`]
  assert.equal((await outcomeOf(args)).status, 0)
  assert.equal((await read({ code: 'by-command' })).summary, fair.summary)
  const listed = await command(server.dataDir, 'links', '--kind=event', '--code=by-command')
  assert.match(listed.stdout, /by-command/)
})

inBrowser('without scripts a person creates an event, changes it, and a German reads what was wrong', async (page) => {
  await page.goto(`${server.url}/?kind=event&lang=en`)
  const typing = { summary: 'Concert', start_date: '2027-06-12', start_time: '19:30', end_time: '22:00' }
  await type(page, { ...typing, timezone: 'Europe/London', utm_source: 'poster', url: 'example.com', alias: 'concert' })
  assert.equal(await press(page, 'Create'), 200)
  const [, token = ''] = /\/m\/([\w-]{43})/.exec(page.url()) ?? []
  assert.deepEqual((await detailsOf({ token })).payload, {
    summary: 'Concert',
    start: '2027-06-12T19:30+01:00',
    end: '2027-06-12T22:00+01:00',
    timezone: 'Europe/London',
    location: null,
    description: null,
    url: 'https://example.com',
  })
  await page.goto(`${server.url}/m/${token}`)
  assert.match((await page.locator('.owner-top').textContent()) ?? '', /The event “Concert”: Saturday,? 12 June 2027/)
  assert.match((await page.locator('.owner-head').textContent()) ?? '', /Event/)
  await type(page, { end_date: '', end_time: '' })
  assert.equal(await press(page, 'Save'), 200)
  assert.partialDeepStrictEqual((await detailsOf({ token })).payload, { end: null, start: '2027-06-12T19:30+01:00' })
  assert.match((await page.locator('#history').textContent()) ?? '', /End/)
  assert.equal((await read({ code: 'concert' })).sequence, 1)

  await page.goto(`${server.url}/?kind=event&lang=de`)
  await type(page, { ...typing, end_date: '2027-06-12', end_time: '19:00', timezone: 'Mond' })
  assert.equal(await press(page, 'Erstellen'), 400)
  assert.deepEqual(await page.locator('.fault').allTextContents(), [
    'Der Termin muss enden, nachdem er begonnen hat.',
    'Diese Zeitzone ist unbekannt. Sie sollte aussehen wie Europe/Berlin.',
  ])
  assert.equal(await page.locator('[name=end_time]').inputValue(), '19:00')
})

inBrowser(
  'with scripts the phone shows the event, a time proposes the time zone, and both pages can be used by everybody',
  async (page) => {
    await page.goto(`${server.url}/?kind=event&lang=de`)
    await type(page, { summary: 'Lesung', location: 'Bücherei', start_date: '2027-06-12' })
    assert.equal(await page.locator('[name=timezone]').inputValue(), '')
    await type(page, { start_time: '19:30' })
    const zone = await page.evaluate('new Intl.DateTimeFormat().resolvedOptions().timeZone')
    assert.equal(await page.locator('[name=timezone]').inputValue(), zone)
    const phone = page.locator('.home-phone')
    await phone.getByText('19:30').waitFor()
    assert.match((await phone.textContent()) ?? '', /^12Lesung.*12\. Juni 2027.*Bücherei.*Zum Kalender hinzufügen$/)
    assert.deepEqual(await accessibilityFaults(page), [])
    assert.equal(await press(page, 'Erstellen'), 200)
    assert.deepEqual(await accessibilityFaults(page), [])
    const { short_url: url } = await create(server, fair)
    await page.goto(url)
    assert.deepEqual(await accessibilityFaults(page), [])
  },
  { scripts: true },
)
