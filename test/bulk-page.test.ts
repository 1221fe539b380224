import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test, type TestContext } from 'node:test'
import { parse } from 'csv-parse/sync'
import type { Page } from 'playwright-core'
import { accessibilityFaults, press, sharedWindows, testsIn } from './support/browser.ts'
import { command } from './support/cli.ts'
import { endOfFile, temporaryFolder } from './support/cleanup.ts'
import { rasterize, writePgm } from './support/decoders.ts'
import { requireProgram } from './support/programs.ts'
import { startServer, visit, type TestServer } from './support/server.ts'

const end = endOfFile()
const openWindow = sharedWindows(end, () => server.url)
const inBrowser = testsIn(openWindow)
let server: TestServer
let folder: string
before(async () => {
  server = await startServer(end)
  folder = temporaryFolder(end)
})

/** Writes a list as a spreadsheet in German would save it. */
function germanList(name: string, rows: string[]): string {
  const path = join(folder, name)
  writeFileSync(path, Buffer.from(['Bezeichnung;Ziel;Kürzel', ...rows].join('\r\n'), 'latin1'))
  return path
}

const row = (at: number) => `Tisch ${at};https://example.com/karte?tisch=${at};`

async function savedFile(page: Page, button: string): Promise<string> {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: button }).click()
  const path = join(folder, `${button.replace(/\W/g, '')}.bin`)
  await (await download).saveAs(path)
  return path
}

/** Unpacks an archive into the folder `zip`, and returns the names of its files; undefined without the programs that it takes. */
function unpack(t: TestContext, archive: string): string[] | undefined {
  if (!requireProgram(t, 'unzip', 'unzip') || !requireProgram(t, 'zbarimg', 'zbar-tools')) return undefined
  const unpacked = join(folder, 'zip')
  rmSync(unpacked, { recursive: true, force: true })
  execFileSync('unzip', ['-q', archive, '-d', unpacked])
  return readdirSync(unpacked)
}

/** What zbarimg reads in an image. */
function decode(svg: string): string[] {
  const image = `${svg}.pgm`
  writeFileSync(image, writePgm(rasterize(readFileSync(svg, 'utf8'))))
  return execFileSync('zbarimg', ['--quiet', '--raw', image], { encoding: 'utf8' }).trim().split('\n')
}

const links = (path: string) => parse(readFileSync(path), { columns: true, bom: true }) as Record<string, string>[]

inBrowser(
  'a file of 500 rows is read, its faulty rows are corrected, and its links, keys and codes are saved',
  async (page, t) => {
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(`${server.url}/bulk`)
    assert.deepEqual(await accessibilityFaults(page), [])
    const rows = Array.from({ length: 500 }, (_, at) => row(at))
    rows[7] = 'Käse;;kaese'
    rows[123] = 'Brot;https://example.com/brot;brötchen'
    await page.locator('[type=file]').setInputFiles(germanList('tische.csv', rows))
    await page.getByText('500 rows were read.').waitFor()
    assert.equal(await page.getByLabel('Kürzel').inputValue(), 'alias')

    await page.getByRole('button', { name: 'Check the rows' }).click()
    await page.getByText('2 rows need a correction.').waitFor()
    assert.equal(await page.getByRole('textbox', { name: /^Destination/ }).count(), 2)
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.getByRole('textbox', { name: 'Destination, row 8' }).fill('example.com/kaese')
    await page.getByRole('textbox', { name: 'Custom code, row 124' }).fill('broetchen')
    await page.keyboard.press('Tab')
    await page.getByRole('button', { name: 'Check the rows' }).press('Enter')
    await page.getByText('All 500 rows are ready.').waitFor()
    // Each link by its own address.
    await page.getByLabel('Keep them together in a collection').uncheck()
    await page.getByRole('button', { name: 'Create 500 links' }).press('Enter')
    await page.getByRole('heading', { name: '500 links are ready' }).waitFor()

    const saved = links(await savedFile(page, 'Download links and private addresses (CSV)'))
    assert.equal(saved.length, 500)
    assert.deepEqual(
      [saved[7]?.['target'], saved[7]?.['title'], saved[123]?.['code']],
      ['example.com/kaese', 'Käse', 'broetchen'],
    )
    const { location } = Object.fromEntries((await visit(saved[499]?.['short_url'] ?? '')).headers)
    assert.equal(location, 'https://example.com/karte?tisch=499')
    assert.equal((await fetch(`${server.url}/api/manage/${saved[250]?.['token']}`)).status, 200)

    const files = unpack(t, await savedFile(page, 'Download QR codes (ZIP)'))
    if (files !== undefined) {
      assert.equal(files.length, 502, 'the codes, the list and the manifest')
      const svg = await (await fetch(saved[0]?.['qr_svg'] ?? '')).text()
      assert.equal(readFileSync(join(folder, 'zip', `qr-${saved[0]?.['code']}.svg`), 'utf8'), svg)
      for (const { code = '', short_url: url } of saved.filter((_, at) => at % 20 === 7)) {
        assert.deepEqual(decode(join(folder, 'zip', `qr-${code}.svg`)), [`${url}?qr=1`])
      }
    }

    const keep = page.getByRole('button', { name: 'Keep on this device' })
    const kept = (links: string) =>
      page.evaluate<string>(`localStorage.setItem('quirl.links', ${JSON.stringify(links)})`)
    const other = (at: number) => ({
      token: `${at}`.padStart(43, 'x'),
      code: `other-${at}`,
      created_at: '2026-11-22T12:00:00.000Z',
    })
    const others = Array.from({ length: 1_501 }, (_, at) => other(at))
    const file = (links: object[]) => JSON.stringify({ format: 'quirl-links', version: 1, links })
    assert.equal(await page.evaluate('localStorage.length'), 0, 'nothing is kept before the owner asks for it')
    await kept(file(others))
    await keep.press('Enter')
    await page.getByText('At most 2,000 links can be kept').waitFor()
    await kept(file(others.slice(1)))
    await keep.press('Enter')
    await page.getByText('Kept on this device: My links').waitFor()
    await page.goto(server.url)
    assert.match((await page.locator('.kept-sum').textContent()) ?? '', /^2,000 links/)
    await page.locator('#kept-search').fill('Käse')
    const [mine] = await page.locator('#my-links li').all()
    const href = await mine?.getByRole('link', { name: /^Open the page of/ }).getAttribute('href')
    assert.equal(href, `/m/${saved[7]?.['token']}`)
    await page.evaluate('localStorage.clear()')
  },
  { scripts: true },
)

inBrowser(
  'the mapping of columns can be changed, and rows can be typed with the keyboard alone',
  async (page) => {
    await page.goto(`${server.url}/bulk`)
    await page.getByLabel(/Or paste/).fill('https://example.com/a\tEins\nhttps://example.com/b\tZwei')
    await page.getByRole('button', { name: 'Show the rows' }).press('Enter')
    await page.getByText('2 rows were read.').waitFor()
    await page.getByLabel('Column 2').selectOption('Title')
    assert.equal(await page.getByRole('textbox', { name: 'Title, row 2' }).inputValue(), 'Zwei')
    await page.getByRole('button', { name: 'Start over' }).press('Enter')

    await page.getByRole('button', { name: 'Type the rows' }).press('Enter')
    await page.getByRole('textbox', { name: 'Destination, row 1' }).focus()
    await page.keyboard.type('example.com/typed')
    for (const at of [3, 2]) await page.getByRole('button', { name: `Remove row ${at}` }).press('Enter')
    await page.getByRole('button', { name: 'Check the rows' }).press('Enter')
    await page.getByRole('button', { name: 'Create one link' }).press('Enter')
    await page.getByRole('heading', { name: 'One link is ready' }).waitFor()
    await page.getByRole('button', { name: 'Sheet for printing' }).press('Enter')
    await page.locator('.bulk-sheet img').waitFor()
    assert.deepEqual(await accessibilityFaults(page), [])
    await savedFile(page, 'Download links and private addresses (CSV)')
    await page.getByRole('button', { name: 'Start over' }).press('Enter')
    await page.getByLabel(/Or paste/).waitFor()
  },
  { scripts: true },
)

inBrowser(
  'a limit in the middle is waited for, and a reload goes on without creating anything twice',
  async (page, t) => {
    const limited = await startServer(t, { LIMIT_BULK: '3' })
    await page.route(/\/api\/(?:bulk|collections)/, async (route) => {
      const url = route.request().url().replace(server.url, limited.url)
      await route.fulfill({ response: await route.fetch({ url }) })
    })
    t.after(() => page.unrouteAll())
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(`${server.url}/bulk`)
    await page.locator('[type=file]').setInputFiles(
      germanList(
        'viele.csv',
        Array.from({ length: 501 }, (_, at) => row(at)),
      ),
    )
    await page.getByRole('button', { name: 'Check the rows' }).click()
    await page.getByRole('button', { name: 'Create 501 links' }).click()
    await page.getByText(/The limit is reached\. It continues by itself in \d+ minutes\. 1 rows remain/).waitFor()
    assert.deepEqual(await accessibilityFaults(page), [])
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    assert.ok(width <= 360, `the page is ${width} pixels wide`)

    const warned = page.waitForEvent('dialog', (dialog) => dialog.type() === 'beforeunload')
    await Promise.all([warned, page.reload()])
    await page.getByText('The page was reloaded before all links were created.').waitFor()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('500 links are ready').waitFor()
    await page.getByText(/The limit is reached/).waitFor()
    await page.getByRole('button', { name: 'Stop here' }).click()
    const saved = links(await savedFile(page, 'Download links and private addresses (CSV)'))
    assert.equal(new Set(saved.map(({ code }) => code)).size, 500)
    assert.equal(await countLinks(limited), 500)
    const members = await limited.services.db.read.selectFrom('collections').select('id').execute()
    assert.equal(members.length, 1, 'all requests of a list have one collection')
    await page.evaluate('sessionStorage.clear()')
    await page.setViewportSize({ width: 1280, height: 720 })
  },
  { scripts: true },
)

async function countLinks({ services }: TestServer): Promise<number> {
  const counted = services.db.read.selectFrom('links').select(({ fn }) => fn.countAll<number>().as('links'))
  return (await counted.executeTakeFirstOrThrow()).links
}

inBrowser(
  'a file that is refused is explained beside its field',
  async (page) => {
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(`${server.url}/bulk`)
    const large = { name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.alloc(5_000_000, 'x') }
    await page.locator('[type=file]').setInputFiles(large)
    const message = page.getByRole('status').filter({ hasText: '4 MB' })
    await message.waitFor()
    const [field, said] = [await page.locator('.bulk-drop').boundingBox(), await message.boundingBox()]
    assert.ok(field && said && said.y - (field.y + field.height) < 40, JSON.stringify([field, said]))
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.setViewportSize({ width: 1280, height: 720 })
  },
  { scripts: true },
)

inBrowser(
  'the numbers of rows and the names of columns stay on one line, however narrow the table is',
  async (page) => {
    for (const width of [1280, 800]) {
      await page.setViewportSize({ width, height: 740 })
      await page.goto(`${server.url}/bulk`)
      const list = Array.from({ length: 12 }, (_, at) => `https://example.com/${at},Table ${at},Summer`)
      await page.locator('textarea').fill(['target,title,campaign', ...list].join('\n'))
      await page.locator('.bulk-actions [type=submit]').click()
      await page.locator('.bulk-grid tbody tr').nth(11).waitFor()
      const lines = await page.evaluate<number[]>(`[...document.querySelectorAll('.bulk-grid th')].map((cell) => {
        const range = document.createRange()
        range.selectNodeContents(cell)
        return new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top))).size
      })`)
      assert.equal(lines.length, 17)
      assert.deepEqual(
        lines.filter((each) => each !== 1),
        [],
        `${width}`,
      )
      assert.deepEqual(await accessibilityFaults(page), [])
    }
    await page.evaluate('sessionStorage.clear()')
    await page.setViewportSize({ width: 1280, height: 720 })
  },
  { scripts: true },
)

inBrowser('without scripts a file is checked, created, and downloaded as a list and as images', async (page, t) => {
  await page.setExtraHTTPHeaders({ 'accept-language': 'de' })
  await page.goto(`${server.url}/bulk`)
  assert.match((await page.locator('.warning').textContent()) ?? '', /funktionieren nur auf diesem Rechner/)
  await page.getByLabel(/^Datei/).setInputFiles(germanList('drei.csv', [row(1), '-20 % Rabatt;;-2', row(3)]))
  assert.equal(await press(page, 'Zeilen prüfen'), 200)
  assert.match((await page.getByRole('alert').textContent()) ?? '', /Zeile 2, Ziel.*: Das Ziel fehlt/s)
  assert.equal(await press(page, 'Links erstellen'), 200)
  await page.getByRole('heading', { name: '2 Links sind fertig' }).waitFor()
  const rest = await page.locator('textarea[name=list]:visible').inputValue()
  assert.match(
    rest,
    /^[^\n]+\n[^\n']*-20 % Rabatt[^\n']*\n$/,
    'what a spreadsheet takes for a formula is sent as it is',
  )
  assert.match(rest, /(?<!['\d])-2(?!\d)/)
  const keys = await page.getByRole('link', { name: /^Bearbeiten/ }).count()
  const address = (await page.locator('.keep-address a').textContent()) ?? ''
  assert.match(
    await page.locator('.note.warning').first().innerText(),
    /^Diese eine Adresse aufbewahren\s+Sie führt zu den Seiten aller 2 Links/,
  )
  const [kept] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Als .txt-Datei speichern' }).click(),
  ])
  assert.ok(readFileSync(await kept.path(), 'utf8').includes(address))
  const saved = links(await savedFile(page, 'Links und private Adressen herunterladen (CSV)'))
  const created = saved.filter(({ code }) => code !== '')
  assert.deepEqual([keys, created.length], [2, 2])
  const files = unpack(t, await savedFile(page, 'QR-Codes herunterladen (ZIP)')) ?? []
  for (const { code, short_url: url } of files.length === 0 ? [] : created) {
    assert.deepEqual(decode(join(folder, 'zip', `qr-${code}.svg`)), [`${url}?qr=1`])
  }
  assert.equal(await press(page, 'Bogen zum Drucken (A4)'), 200)
  assert.equal(await page.locator('.bulk-sheet svg').count(), 2)
  await page.goto(address)
  assert.equal(await page.locator('.collection-name').count(), 2, 'asking for files has created nothing')
  await page.setExtraHTTPHeaders({})
})

test('where creation needs a key, the list is checked and created with the one in the field above it', async (t) => {
  if (!requireProgram(t, 'chromium-headless-shell', 'chromium-headless-shell')) return
  const { url, dataDir } = await startServer(t, { CREATE: 'token' })
  const key = (await command(dataDir, 'keys', 'add', 'shop')).stdout.trim()
  const page = await openWindow(t, { scripts: true, origin: url })
  await page.goto(`${url}/bulk`)
  assert.deepEqual(await accessibilityFaults(page), [])
  await page.getByLabel('Access code of this service').fill('x'.repeat(43))
  await page.locator('textarea').fill('target\nhttps://example.com/menu')
  await page.locator('.bulk-actions [type=submit]').click()
  await page.getByRole('button', { name: 'Check the rows' }).click()
  await page.getByText('this is no access code of this service').waitFor()
  await page.getByLabel('Access code of this service').fill(key)
  await page.getByRole('button', { name: 'Check the rows' }).click()
  await page.getByRole('button', { name: 'Create one link' }).click()
  await page.getByRole('heading', { name: 'One link is ready' }).waitFor()
})
