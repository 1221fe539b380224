// Texts that strangers wrote, in every field that takes one: nothing of them may run, load, or become markup.
import assert from 'node:assert/strict'
import { before, test, type TestContext } from 'node:test'
import { kinds } from '../src/links/kinds/index.ts'
import { endOfFile } from './support/cleanup.ts'
import { addressWith, hostileTexts, pack } from './support/hostile-texts.ts'
import { poll } from './support/poll.ts'
import { requireProgram } from './support/programs.ts'
import { post, put, startServer, type Created, type TestServer } from './support/server.ts'
import { openChromium, openFirefox, type WatchedWindow } from './support/watched-browsers.ts'

const end = endOfFile()
let server: TestServer
let site: { paths: string[]; forms: { path: string; values: Record<string, string> }[] }
before(async () => {
  server = await startServer(end)
  site = await seed()
})

const at = (index: number) => hostileTexts[index % hostileTexts.length] ?? ''
const owned = (index: number) => ({ title: pack(200, 7 * index), campaign: pack(200, 11 * index + 3) })

/** Links of every kind, whose every text and address is hostile. */
function links(): object[] {
  const pages = Array.from({ length: Math.ceil(hostileTexts.length / 100) }, (_, page) => ({
    kind: 'page',
    headline: pack(200, page * 5),
    description: pack(2000, page * 60),
    avatar: ['"><b onx=1>', '<script>', "'onload=", '</p>'][page % 4],
    links: hostileTexts.slice(page * 100, page * 100 + 100).map((text) => ({ label: text, url: addressWith(text) })),
    ...owned(page),
  }))
  const cards = Array.from({ length: 3 }, (_, card) => ({
    kind: 'vcard',
    firstName: pack(100, card * 90),
    lastName: pack(100, card * 90 + 20),
    org: pack(200, card * 90 + 40),
    jobTitle: pack(200, card * 90 + 60),
    phone: pack(50, card * 90 + 80),
    email: pack(254, card * 90 + 100),
    website: addressWith(at(card * 90 + 120)),
    ...owned(card),
  }))
  const event = {
    kind: 'event',
    summary: pack(200, 10),
    start: '2027-06-12T14:00Z',
    location: pack(200, 60),
    description: pack(2000, 20),
    url: addressWith(at(7)),
    ...owned(40),
  }
  const app = { kind: 'appstore', ios: addressWith(at(1)), android: addressWith(at(40)), fallback: addressWith(at(90)) }
  const rules = [
    { when: { country: ['DE'] }, then: { target: addressWith(at(2)) } },
    { when: {}, then: { ended: pack(200, 30) } },
  ]
  const url = { target: addressWith(at(5)), utm: { utm_source: pack(200, 50) }, rules }
  return [...pages, ...cards, event, { ...app, ...owned(20) }, { ...url, ...owned(30) }]
}

async function createAll(body: unknown): Promise<Created[]> {
  const response = await post(`${server.url}/api/bulk`, body)
  const { results } = (await response.json()) as { results: (Created & { error?: object })[] }
  assert.deepEqual(
    results.filter(({ error }) => error !== undefined),
    [],
  )
  return results
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

/** A table for the page of many links: rows that are created, and rows with faults in each cell. */
function table(): string {
  const rows = [12, 99, 180, 260].flatMap((index) => [
    ['', addressWith(at(index)), pack(200, index), pack(200, index + 9)],
    [at(index + 1), at(index + 2), at(index + 3), at(index + 4)],
  ])
  return ['alias,target,title,campaign', ...rows.map((cells) => cells.map(quoted).join(','))].join('\r\n')
}

async function seed(): Promise<typeof site> {
  const created = await createAll(links())
  const rows = [3, 77, 200].map((index) =>
    [addressWith(at(index)), pack(200, index), pack(200, index + 9)].map(quoted).join(','),
  )
  const imported = await createAll({ csv: `target,title,campaign\r\n${rows.join('\r\n')}` })
  const last = created.at(-1) as Created
  const webhook = { url: addressWith(at(60)), events: ['link.changed'] }
  assert.equal((await put(`${server.url}/api/manage/${last.token}`, { webhook })).status, 200)
  const share = await post(`${server.url}/api/manage/${last.token}/share`, { label: pack(100, 33) })
  const { share_url: shared } = (await share.json()) as { share_url: string }
  const paths = created.flatMap(({ code, token }) => [`/${code}`, `/${code}+`, `/m/${token}`])
  const inQuery = encodeURIComponent(pack(1500, 12))
  const text = pack(1000, 21)
  const fields = kinds.flatMap(({ form }) => form.map(({ name }) => name))
  const names = [
    ...fields,
    'link_label',
    'link_url',
    'alias',
    'title',
    'campaign',
    'utm_source',
    'utm_medium',
    'utm_campaign',
  ]
  return {
    paths: [
      // A visit that redirects leaves the service.
      ...paths.filter((path) => !isRedirect(created, path)),
      ...imported.flatMap(({ code, token }) => [`/${code}+`, `/m/${token}`]),
      new URL(shared).pathname,
      `/report?code=${inQuery}`,
      `/?kind=${inQuery}`,
      `/${encodeURIComponent(at(10))}`,
      `/${encodeURIComponent(at(24))}+`,
      `/x/${encodeURIComponent(at(200))}`,
      `/m/${encodeURIComponent(at(4))}`,
      `/api/qr?format=svg&data=${encodeURIComponent(pack(400, 44))}`,
    ],
    forms: [
      ...kinds.map(({ name: kind }) => ({
        path: `/?kind=${kind}`,
        values: Object.fromEntries(names.map((name) => [name, text])),
      })),
      ...['check', 'create'].map((action) => ({ path: '/bulk', values: { list: table(), action } })),
      { path: '/domains', values: { name: text } },
      { path: '/report', values: { code: text, reason: text, details: pack(2500, 70) } },
    ],
  }
}

/** The visits of links without a page: the application's, which come after the pages and the contacts. */
function isRedirect(created: Created[], path: string): boolean {
  return path === `/${created.at(-2)?.code}`
}

/** What would not be in the document if every text of a stranger were text in it. */
const foreign = `[
  ...[...document.querySelectorAll(
    'iframe, object, embed, base, style, video, audio, math, animate, body body, script:not([src]), meta[http-equiv]'
  )].map((element) => element.outerHTML),
  ...[...document.querySelectorAll('*')]
    .flatMap((element) => [...element.attributes])
    .filter(({ name, value }) =>
      name.startsWith('on') ||
      value.includes('url(//evil') && name === 'style' ||
      (['href', 'src', 'action', 'formaction', 'data'].includes(name) &&
        !/^(?:https?|tel|mailto|blob):$/.test(new URL(value, document.baseURI).protocol)))
    .map(({ name, value }) => name + '=' + value),
]`

async function assertInert(t: TestContext, window: WatchedWindow): Promise<void> {
  for (const path of site.paths) {
    await window.open(server.url + path)
    assert.deepEqual([await window.evaluate(foreign), window.takeViolations()], [[], []], path)
  }
  for (const { path, values } of site.forms) {
    await window.open(server.url + path)
    await window.submit(values)
    assert.deepEqual([await window.evaluate(foreign), window.takeViolations()], [[], []], `the form of ${path}`)
    assert.equal(
      await window.evaluate(`document.body.outerHTML.includes('alert(1)')`),
      true,
      `${path} shows what was sent`,
    )
  }
  t.diagnostic(`${hostileTexts.length} texts, ${site.paths.length + site.forms.length} pages`)
}

/** Proves that the window would record what must not happen. */
async function assertWatched(window: WatchedWindow): Promise<void> {
  await window.open(`${server.url}/report`)
  await window.evaluate(`new Promise((resolve) => {
    addEventListener('securitypolicyviolation', resolve, { once: true })
    document.body.append(Object.assign(new Image(), { src: '//evil.example/x' }))
  }).then(() => null)`)
  await window.evaluate(`setTimeout(() => alert('noticed'))`)
  const recorded = new Set<string>()
  const expected = ['dialog: noticed', 'policy stopped img-src http://evil.example/x']
  await poll(() => {
    for (const violation of window.takeViolations()) recorded.add(violation)
    return expected.every((violation) => recorded.has(violation))
  })
}

test('nothing that a stranger wrote runs, loads or becomes markup in Chromium', async (t) => {
  if (!requireProgram(t, 'chromium-headless-shell', 'chromium-headless-shell')) return
  const window = await openChromium(t, server.url)
  await assertWatched(window)
  await assertInert(t, window)
})

// `npm run test:firefox`: it takes 16 seconds of CPU time.
if (process.env['FIREFOX'] === 'on') {
  test('nothing that a stranger wrote runs, loads or becomes markup in Firefox', async (t) => {
    if (!requireProgram(t, 'firefox-esr', 'firefox-esr')) return
    const window = await openFirefox(t, server.url)
    await assertWatched(window)
    await assertInert(t, window)
  })
}
