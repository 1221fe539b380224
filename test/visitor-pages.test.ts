// What people see who open a short link: each page and state, in both languages.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { inflateSync } from 'node:zlib'
import { sql } from '#kysely'
import { cards } from '../src/links/kinds/shared/accent.ts'
import { texts as vcardTexts } from '../src/links/kinds/vcard/texts.ts'
import { problemTexts } from '../src/texts/problems.ts'
import { reportTexts } from '../src/texts/report.ts'
import { visitorTexts } from '../src/texts/visitor.ts'
import type { Language } from '../src/texts/language.ts'
import { accessibilityFaults, sharedWindows, testsIn } from './support/browser.ts'
import { createBlocked } from './support/blocked-links.ts'
import { endOfFile } from './support/cleanup.ts'
import { ask } from './support/http.ts'
import { create, put, startServer, type TestServer } from './support/server.ts'

const TARGET = 'https://www.example.com/menu?x=1'
const INSTAGRAM = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148 Instagram 350.0'
const MENU = { label: 'Menu', url: 'https://example.com/menu' }
const LEAFLET = { kind: 'page', headline: 'Sunny Café', description: 'Coffee\nand cake', links: [MENU] }
const CARD = {
  kind: 'vcard',
  firstName: 'Zoë',
  lastName: 'O’Neill',
  org: 'Café',
  phone: '+49 30 1',
  email: 'a@example.com',
}

const end = endOfFile()
let server: TestServer
before(async () => {
  server = await startServer(end, { CONTACT: 'abuse@example.com' })
  await create(server, { ...LEAFLET, alias: 'leaf', accent: '#ffd600', avatar: '☕' })
  await create(server, { ...LEAFLET, alias: 'white', accent: '#FFFFFF' })
  await create(server, { ...LEAFLET, alias: 'navy', accent: '#0b1d51', headline: 'مقهى النيل' })
  await create(server, { ...CARD, alias: 'card' })
  await create(server, { target: TARGET, alias: 'go' })
  await create(server, { ...LEAFLET, alias: 'locked', password: 'correct horse' })
  const rule = (then: object) => [{ when: {}, then }]
  await create(server, { target: TARGET, alias: 'ruled', rules: rule({ target: 'https://example.org/' }) })
  await create(server, { target: TARGET, alias: 'over', rules: rule({ ended: 'Sold out.\nSorry!' }) })
  const paused = await create(server, { target: TARGET, alias: 'paused' })
  await put(manage(paused), { active: false })
  const deleted = await create(server, { target: TARGET, alias: 'deleted' })
  await fetch(manage(deleted), { method: 'DELETE' })
  await createBlocked(server, TARGET)
  const broken = await create(server, { target: TARGET, alias: 'broken' })
  await sql`update links set utm = 'not json' where code = ${broken.code}`.execute(server.services.db.write)
})

const manage = ({ token }: { token: string }) => `${server.url}/api/manage/${token}`
const inBrowser = testsIn(sharedWindows(end, () => server.url))

type Headline = (language: Language) => string
const problem =
  (code: keyof typeof problemTexts.en.titles): Headline =>
  (language) =>
    problemTexts[language].titles[code]
const preview =
  (code: string): Headline =>
  (language) =>
    visitorTexts[language].preview.title(code)

/** Each page: its path, its status, and its heading. */
const pages: [path: string, status: number, heading: Headline][] = [
  ['/leaf', 200, () => 'Sunny Café'],
  ['/card', 200, () => 'Zoë O’Neill'],
  ['/go+', 200, preview('go')],
  ['/leaf+', 200, preview('leaf')],
  ['/locked+', 200, preview('locked')],
  ['/ruled+', 200, preview('ruled')],
  ['/over', 410, problem('link_ended')],
  ['/paused', 404, problem('unknown_code')],
  ['/never-was', 404, problem('unknown_code')],
  ['/deleted', 410, problem('code_gone')],
  ['/removed', 410, problem('code_removed')],
  ['/ordered', 451, problem('code_removed_by_law')],
  ['/no/such/page', 404, problem('not_found')],
  ['/broken', 500, problem('internal_error')],
  ['/report', 200, (language) => reportTexts[language].title],
]

const get = (path: string, language = 'en', headers: Record<string, string> = {}) =>
  fetch(server.url + path, {
    redirect: 'manual',
    headers: { accept: 'text/html', 'accept-language': language, ...headers },
  })

test('each page is in the language of the visitor, without scripts and inline styles', async () => {
  for (const language of ['en', 'de'] as const) {
    for (const [path, status, heading] of pages) {
      const response = await get(path, `${language}-CH`)
      const text = await response.text()
      assert.equal(response.status, status, path)
      assert.match(text, new RegExp(`<html lang="${language}">`), path)
      assert.equal(/<h1[^>]*>(.*?)<\/h1>/s.exec(text)?.[1], heading(language), `${path} in ${language}`)
      assert.match(response.headers.get('vary') ?? '', /accept-language/, path)
      assert.doesNotMatch(text, /<script|<style| style=| on\w+=|undefined|\[object/, path)
      assert.doesNotMatch(text.replace(/<head>.*<\/head>/s, ''), /quirl/i, 'a page of a link does not advertise')
    }
  }
})

test('a code that is paused and one that never was cannot be told apart', async () => {
  const [paused, unknown] = await Promise.all([get('/paused'), get('/never-was')])
  assert.equal(await paused.text(), await unknown.text())
})

test('a visitor who sends too many requests reads when to come back', async (t) => {
  const limited = await startServer(t, { LIMIT_MISSES: '1' }, () => Date.UTC(2026, 10, 22))
  const headers = { accept: 'text/html', 'accept-language': 'de' }
  await fetch(`${limited.url}/never-was`, { headers })
  const response = await fetch(`${limited.url}/never-was`, { headers })
  assert.equal(response.status, 429)
  assert.match(await response.text(), /Zu viele Anfragen.*in 60 Minuten noch einmal/s)
})

test('a page says what it is to search engines and messengers, unless it has a password', async () => {
  const text = await (await get('/leaf?qr=1')).text()
  assert.match(text, /<meta name="description" content="Coffee and cake"/)
  assert.match(text, new RegExp(`<link rel="canonical" href="${server.url}/leaf"`))
  assert.match(text, new RegExp(`<meta property="og:image" content="${server.url}/leaf/og.png\\?v=[0-9a-f]{8}"`))
  assert.doesNotMatch(text, /noindex|manifest/)
  assert.match(await (await get('/card', 'de')).text(), /content="Kontaktdaten von Zoë O’Neill, Café"/)
  const body = new URLSearchParams({ password: 'correct horse' })
  const opened = await (
    await fetch(`${server.url}/locked`, { method: 'POST', body, headers: { accept: 'text/html' } })
  ).text()
  assert.match(opened, /Sunny Café/)
  assert.doesNotMatch(opened, /og:|canonical|name="description"/)
})

test('a preview emphasises the host of a destination', async () => {
  assert.match(await (await get('/go+')).text(), /https:\/\/<strong>www\.example\.com<\/strong>\/menu\?x=1/)
})

test('only a browser inside of an app that saves no contacts says what to do', async () => {
  const advice = vcardTexts.de.page.leaveApp
  const shown = async (agent: string) => (await get('/card', 'de', { 'user-agent': agent })).text()
  for (const mark of [
    'Instagram 350.0',
    '[FBAN/FBIOS;FBAV/480]',
    'musical_ly_35 BytedanceWebview',
    '[LinkedInApp]/9.30',
    '[FBAN/MessengerForiOS;FBAV/480]',
    'Barcelona 350.0',
    'MetaIAB Facebook',
  ]) {
    assert.ok((await shown(`Mozilla/5.0 (iPhone) Mobile/15E148 ${mark}`)).includes(advice), mark)
  }
  assert.ok(!(await shown('Mozilla/5.0 (iPhone) Version/18.0 Mobile/15E148 Safari/604.1')).includes(advice))
})

/** Bytes as they are sent, of a page and all that it loads. */
async function bytesOf(path: string): Promise<number> {
  const headers = { accept: 'text/html', 'accept-encoding': 'gzip, br' }
  const page = await (await fetch(server.url + path, { headers })).text()
  const files = Array.from(page.matchAll(/<link rel="(?:stylesheet|icon)" href="([^"]+)"/g), ([, file = '']) => file)
  const sizes = [path, ...files].map(async (each) => (await ask(server.url + each, { headers })).bytes)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

test('a page and all that it loads are sent in at most 10 KB', async (t) => {
  const links = Array.from({ length: 20 }, (_, at) => ({
    label: `Button number ${at}`,
    url: `https://example.com/${at}`,
  }))
  await create(server, { ...LEAFLET, alias: 'many', links, accent: '#b4232a' })
  for (const path of ['/many', '/card', '/go+', '/paused', '/report', '/locked']) {
    const bytes = await bytesOf(path)
    t.diagnostic(`${path}: ${bytes} bytes`)
    assert.ok(bytes <= 10 * 1024, `${path} is ${bytes} bytes`)
  }
})

/** The size of a PNG of eight bits and four channels, all of whose pixels were decoded. */
function decode(png: Buffer): [width: number, height: number] {
  assert.equal(png.toString('latin1', 1, 4), 'PNG')
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const data: Buffer[] = []
  for (let from = 8; from < png.length; from += 12 + png.readUInt32BE(from)) {
    if (png.toString('latin1', from + 4, from + 8) === 'IDAT')
      data.push(png.subarray(from + 8, from + 8 + png.readUInt32BE(from)))
  }
  assert.equal(inflateSync(Buffer.concat(data)).length, height * (1 + width * 4))
  return [width, height]
}

test('a picture stands for each page, in any script; it changes with the page, and nothing is recorded', async () => {
  const link = await create(server, { ...LEAFLET, alias: 'pictured' })
  const pictureOf = async (code: string) => {
    const [, path = ''] = /og:image" content="http:\/\/[^/]+([^"]+)"/.exec(await (await get(`/${code}`)).text()) ?? []
    const response = await fetch(server.url + path)
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'image/png'])
    return { path, tag: response.headers.get('etag') ?? '', body: Buffer.from(await response.arrayBuffer()) }
  }
  for (const code of ['leaf', 'white', 'navy', 'card'])
    assert.deepEqual(decode((await pictureOf(code)).body), [1200, 630])
  const first = await pictureOf('pictured')
  const again = await fetch(server.url + first.path, { headers: { 'if-none-match': first.tag } })
  assert.equal(again.status, 304)
  await put(manage(link), { headline: 'Another' })
  const second = await pictureOf('pictured')
  assert.notEqual(second.path, first.path)
  assert.notDeepEqual(second.body, first.body)
  const { totals } = (await (await fetch(manage(link))).json()) as { totals: { scans: number } }
  assert.equal(totals.scans, 2)
})

test('a link without a page, or with a password, or that has ended has no picture', async () => {
  for (const [code, status] of [
    ['go', 404],
    ['locked', 404],
    ['paused', 404],
    ['over', 410],
    ['deleted', 410],
  ] as const) {
    assert.equal((await fetch(`${server.url}/${code}/og.png`)).status, status, code)
  }
})

test('an avatar and a colour have bounds, and null removes them', async () => {
  const link = await create(server, { ...LEAFLET, accent: '#b4232a', avatar: 'AB' })
  for (const [field, value] of [
    ['accent', 'red'],
    ['accent', '#fff'],
    ['avatar', 'x'.repeat(17)],
  ] as const) {
    const response = await put(manage(link), { [field]: value })
    const { errors } = (await response.json()) as { errors: { pointer: string }[] }
    assert.deepEqual([response.status, errors.map(({ pointer }) => pointer)], [400, [`/${field}`]])
  }
  assert.equal((await put(manage(link), { accent: null, avatar: null })).status, 200)
  const text = await (await get(`/${link.code}`)).text()
  assert.match(text, /class="avatar"[^>]*>SC</)
  assert.doesNotMatch(text, /accent-/)
  const styles = await fetch(`${server.url}/assets/accent-b4232a.css`)
  assert.match(styles.headers.get('cache-control') ?? '', /immutable/)
  for (const wrong of ['b4232', 'b4232a1', 'B4232A', 'b4232g']) {
    assert.equal((await fetch(`${server.url}/assets/accent-${wrong}.css`)).status, 404, wrong)
  }
})

inBrowser(
  'axe finds no fault in any page, in both themes, and each fits the smallest phone',
  async (page) => {
    await page.setViewportSize({ width: 320, height: 640 })
    const agent = { 'user-agent': INSTAGRAM }
    // These differ from others in words only.
    const alike = new Set(['/never-was', '/deleted', '/no/such/page'])
    const paths = pages.map(([path]) => path).filter((path) => !alike.has(path))
    for (const path of [...paths, '/white', '/navy', '/locked']) {
      await page.setExtraHTTPHeaders({ 'accept-language': 'de', ...(path === '/card' && agent) })
      await page.goto(server.url + path)
      assert.deepEqual(await accessibilityFaults(page), [], path)
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      assert.ok(width <= 320, `${path} is ${width} pixels wide`)
    }
    await page.setExtraHTTPHeaders({})
  },
  { scripts: true },
)

inBrowser(
  'the cards have the colours on which the shades of an accent are readable',
  async (page) => {
    await page.goto(`${server.url}/leaf`)
    const card = `(() => {
      const context = new OffscreenCanvas(1, 1).getContext('2d')
      context.fillStyle = getComputedStyle(document.querySelector('main')).backgroundColor
      context.fillRect(0, 0, 1, 1)
      return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3)
    })()`
    assert.deepEqual(await page.evaluate(card), cards.light)
    await page.emulateMedia({ colorScheme: 'dark' })
    assert.deepEqual(await page.evaluate(card), cards.dark)
    await page.emulateMedia({ colorScheme: 'light' })
  },
  { scripts: true },
)
