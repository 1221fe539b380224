import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Page, Route } from 'playwright-core'
import { palettes, presets } from '../src/web/designer/presets.ts'
import { accessibilityFaults, press, sharedWindows, testsIn, untilTrue } from './support/browser.ts'
import { endOfFile, temporaryFolder } from './support/cleanup.ts'
import { badLogos, dataUri, jpegFile, pngFile, svgLogo } from './support/logos.ts'
import { poll } from './support/poll.ts'
import { start } from './support/program.ts'
import { create, post, put, startServer, type Created, type TestServer } from './support/server.ts'

const root = new URL('../', import.meta.url)
const end = endOfFile()
let server: TestServer
const inScriptlessBrowser = testsIn(sharedWindows(end, () => server.url))
const inAnyBrowser = testsIn(sharedWindows(end, () => server.url))
const inBrowser = (name: string, run: Parameters<typeof inAnyBrowser>[1]) => inAnyBrowser(name, run, { scripts: true })
before(async () => {
  // The bundle of the current sources.
  execFileSync(process.execPath, ['build/client.js'], { cwd: root })
  server = await startServer(end)
})

const svgFile = Buffer.from(svgLogo.split(',')[1] ?? '', 'base64')
const styledFile = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><defs><style>.cls-1{fill:#e30613;}</style></defs>' +
    '<path class="cls-1" d="M0 0h8v8H0z"/></svg>',
)
const CHECK = '**/api/qr?report=true'

async function designOf({ token }: Created): Promise<unknown> {
  return ((await (await fetch(`${server.url}/api/manage/${token}`)).json()) as { design: unknown }).design
}

const watched = new WeakSet<Page>()

/** Opens the page of a link; the page records its drawings and the violations of its policy. */
async function open(page: Page, link: Created, { url } = server): Promise<void> {
  if (!watched.has(page)) {
    watched.add(page)
    await page.addInitScript(`{
      const create = URL.createObjectURL
      URL.createObjectURL = (blob) => {
        window.drawn = blob
        return create(blob)
      }
      window.violations = []
      addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
        violations.push(violatedDirective + ' ' + blockedURI))
    }`)
  }
  await page.goto(`${url}/m/${link.token}`)
  // The preview is loaded when it comes into sight.
  await page.evaluate('document.querySelector("#design details").open = true')
  await page.locator('form.design').scrollIntoViewIfNeeded()
  await page.evaluate('for (const folded of document.querySelectorAll(".design details")) folded.open = true')
  await page.locator('.preview img').waitFor()
}

const create1 = () => create(server, { target: 'https://example.com/menu' })

/** The text that the QR code of a link encodes. */
const textOf = ({ short_url }: Created) => `${short_url}?qr=1`

/** What the page has drawn; its script loads after the page. */
const drawn = (page: Page) => page.evaluate<string | undefined>('window.drawn?.text()')
const verdict = (page: Page) => page.locator('.preview .verdict').textContent()

/** Waits until the result of the check matches. */
async function untilVerdict(page: Page, words: RegExp): Promise<void> {
  await page.locator('.preview .verdict', { hasText: words }).waitFor()
}

/** The image that the API returns for a design. */
async function imageFromApi(link: Created, design: object): Promise<string> {
  const answer = await post(`${server.url}/api/qr`, { data: textOf(link), format: 'svg', design })
  assert.equal(answer.status, 200, await answer.clone().text())
  return answer.text()
}

/** Waits until the page has drawn exactly this image. */
async function assertDrawn(page: Page, svg: string): Promise<void> {
  // After a time-out, the difference says more than the time-out.
  await poll(async () => (await drawn(page)) === svg).catch(() => undefined)
  assert.equal(await drawn(page), svg)
  await untilTrue(page, 'document.querySelector(".preview img").naturalWidth > 0')
}

interface File {
  name: string
  mimeType: string
  buffer: Buffer
}
const fileOf = (buffer: Buffer, name = 'logo', mimeType = ''): File => ({ buffer, name, mimeType })
type Choices = Record<string, string | boolean | File>

/** Chooses a picture; its radio button is transparent. */
async function pick(page: Page, name: string, value: string): Promise<void> {
  await page.locator(`.tile:has([name=${name}][value=${value}])`).click()
}

/** Fills in the form as a person does. */
async function choose(page: Page, choices: Choices): Promise<void> {
  for (const [name, value] of Object.entries(choices)) {
    const input = page.locator(`.design [name=${name}]`)
    if (typeof value === 'boolean') await input.setChecked(value)
    else if (typeof value === 'object') await input.setInputFiles(value)
    else if ((await page.locator(`.design [type=radio][name=${name}]`).count()) > 0) await pick(page, name, value)
    else if ((await page.locator(`.design select[name=${name}]`).count()) > 0) await input.selectOption(value)
    else await input.fill(value)
  }
}

/** Choices in the form, and the design that they describe. Together they cover every value of every choice. */
const designs: [name: string, choices: Choices, design: object][] = [
  ['rounded modules', { shape: 'rounded' }, { shape: 'rounded' }],
  [
    'dots with round eyes',
    { shape: 'dots', eye_frame: 'circle', eye_ball: 'circle' },
    { shape: 'dots', eye_frame: 'circle', eye_ball: 'circle' },
  ],
  [
    'diamonds with leaves',
    { shape: 'diamond', eye_frame: 'leaf', eye_ball: 'leaf' },
    { shape: 'diamond', eye_frame: 'leaf', eye_ball: 'leaf' },
  ],
  [
    'classy with rounded eyes',
    { shape: 'classy', eye_frame: 'rounded', eye_ball: 'rounded' },
    { shape: 'classy', eye_frame: 'rounded', eye_ball: 'rounded' },
  ],
  ['two colours', { fg: '#14213d', bg: '#fefae0' }, { fg: '#14213d', bg: '#fefae0' }],
  ['no background', { transparent: true }, { bg: 'transparent' }],
  [
    'custom colours for the eyes',
    {
      custom_eye_frame_color: true,
      eye_frame_color: '#9b2226',
      custom_eye_ball_color: true,
      eye_ball_color: '#001219',
    },
    { eye_frame_color: '#9b2226', eye_ball_color: '#001219' },
  ],
  [
    'a linear gradient',
    { gradient: 'linear', gradient_from: '#c1121f', gradient_to: '#780000', gradient_angle: '137' },
    { gradient: { type: 'linear', from: '#c1121f', to: '#780000', angle: 137 } },
  ],
  [
    'a radial gradient',
    { gradient: 'radial', gradient_from: '#023047', gradient_to: '#000814' },
    { gradient: { type: 'radial', from: '#023047', to: '#000814' } },
  ],
  ['a logo that is an SVG', { logo: fileOf(svgFile) }, { logo: { image: svgLogo } }],
  ['a logo with a style sheet', { logo: fileOf(styledFile) }, { logo: { image: dataUri('svg+xml', styledFile) } }],
  [
    'a larger logo that is a PNG, on its modules',
    { logo: fileOf(pngFile(20, 10)), logo_size: '12.5', logo_knockout: 'no' },
    { logo: { image: dataUri('png', pngFile(20, 10)), size: 0.125, knockout: false } },
  ],
  [
    'a small logo that is a JPEG',
    { logo: fileOf(jpegFile()), logo_size: '10' },
    { logo: { image: dataUri('jpeg', jpegFile()), size: 0.1 } },
  ],
  ['a frame', { frame_text: 'Scan me' }, { frame: { text: 'Scan me' } }],
  [
    'a square frame with its text above, in custom colours, with accents, Greek and Cyrillic',
    {
      frame_text: 'Čau Ζωή Меню',
      frame_position: 'top',
      frame_shape: 'square',
      custom_frame_color: true,
      frame_color: '#fca311',
      custom_frame_text_color: true,
      frame_text_color: '#14213d',
    },
    { frame: { text: 'Čau Ζωή Меню', position: 'top', shape: 'square', color: '#fca311', text_color: '#14213d' } },
  ],
  ['a narrow quiet zone and the highest level', { margin: '1', ecl: 'H' }, { margin: 1, ecl: 'H' }],
  ['a low level', { ecl: 'L', margin: '16' }, { ecl: 'L', margin: 16 }],
  [
    'everything at once',
    {
      shape: 'dots',
      eye_frame: 'leaf',
      eye_ball: 'circle',
      gradient: 'linear',
      gradient_angle: '90',
      bg: '#fffef0',
      custom_eye_ball_color: true,
      eye_ball_color: '#d00000',
      logo: fileOf(svgFile),
      frame_text: 'Menu & more <3',
      ecl: 'Q',
    },
    {
      shape: 'dots',
      eye_frame: 'leaf',
      eye_ball: 'circle',
      gradient: { type: 'linear', from: '#5a189a', to: '#03045e', angle: 90 },
      bg: '#fffef0',
      eye_ball_color: '#d00000',
      logo: { image: svgLogo },
      frame: { text: 'Menu & more <3' },
      ecl: 'Q',
    },
  ],
]

describe('the preview draws, before anything is saved, exactly what the API returns:', () => {
  for (const [name, choices, design] of designs) {
    inBrowser(name, async (page) => {
      const link = await create1()
      await open(page, link)
      await choose(page, choices)
      await assertDrawn(page, await imageFromApi(link, design))
      assert.equal(await designOf(link), null)
    })
  }

  inBrowser('a plain code, and a saved design with values that no input can hold', async (page) => {
    const link = await create1()
    await open(page, link)
    await assertDrawn(page, await imageFromApi(link, {}))
    const design = { fg: '#10203080', bg: 'FFE', logo: { image: svgLogo, size: 0.111 }, frame: { text: ' Hi ' } }
    await put(`${server.url}/api/manage/${link.token}`, { design })
    await open(page, link)
    await assertDrawn(page, await imageFromApi(link, design))
    assert.match((await page.locator('.preview').textContent()) ?? '', /^This is the saved design\./)
    await choose(page, { shape: 'dots' })
    await assertDrawn(page, await imageFromApi(link, { ...design, shape: 'dots' }))
    assert.match((await page.locator('.preview').textContent()) ?? '', /^Not saved yet\./)
  })

  inBrowser('a ready-made look, which fills the form and saves nothing', async (page) => {
    const link = await create1()
    const saved = { frame: { text: 'Hi' }, fg: '#123456' }
    await put(`${server.url}/api/manage/${link.token}`, { design: saved })
    await open(page, link)
    await page.getByRole('button', { name: 'Berry' }).click()
    await assertDrawn(page, await imageFromApi(link, { ...presets.berry, frame: { text: 'Hi' } }))
    assert.equal(await page.locator('[name=gradient_to]').inputValue(), presets.berry.gradient.to)
    await page.getByRole('button', { name: 'Wine' }).click()
    const { gradient: _gradient, ...shapes } = presets.berry
    await assertDrawn(page, await imageFromApi(link, { ...shapes, ...palettes.wine, frame: { text: 'Hi' } }))
    assert.deepEqual(await designOf(link), saved)
  })

  inBrowser('a logo that is chosen before the script of the preview has loaded', async (page) => {
    const link = await create1()
    await page.goto(`${server.url}/m/${link.token}`)
    await choose(page, { logo: { name: 'logo.svg', mimeType: 'image/svg+xml', buffer: svgFile } })
    await page.evaluate('document.querySelector("#design details").open = true')
    await page.locator('form.design').scrollIntoViewIfNeeded()
    await page.locator('.preview', { hasText: /^Not saved yet\./ }).waitFor()
    await untilVerdict(page, /^(?:Excellent|Good|Fair):/)
    assert.equal(await press(page, 'Save design'), 200)
    assert.deepEqual(await designOf(link), { logo: { image: svgLogo } })
  })

  inBrowser('a ready-made look that is chosen before the script of the preview has loaded', async (page) => {
    const link = await create1()
    const hold = Promise.withResolvers<void>()
    const delay = async (route: Route) => {
      await hold.promise
      await route.continue()
    }
    await page.route('**/assets/design-*.js', delay)
    await page.goto(`${server.url}/m/${link.token}`)
    await page.getByRole('button', { name: 'Berry' }).click()
    hold.resolve()
    await page.locator('.preview', { hasText: /^Not saved yet\./ }).waitFor()
    assert.equal(await page.locator('[name=gradient_to]').inputValue(), presets.berry.gradient.to)
    assert.equal(await designOf(link), null)
    await page.unroute('**/assets/design-*.js', delay)
  })

  inBrowser('each letter of a text while it is typed', async (page) => {
    const link = await create1()
    await open(page, link)
    const fonts: string[] = []
    page.on('request', (request) => void (request.url().endsWith('.txt') && fonts.push(request.url())))
    for (const text of ['S', 'Sc', 'Sca', 'Scan']) {
      await page.locator('[name=frame_text]').press(text.at(-1) ?? '')
      await assertDrawn(page, await imageFromApi(link, { frame: { text } }))
    }
    page.removeAllListeners('request')
    assert.equal(fonts.length, 1, 'the font is loaded once, when the frame has a text')
  })

  inBrowser('a logo that was not saved because of another error', async (page) => {
    const link = await create1()
    await open(page, link)
    await choose(page, { logo: fileOf(svgFile), fg: '#fefefe' })
    assert.equal(await press(page, 'Save design'), 400)
    await page.locator('[name=fg]').fill('#003049')
    await assertDrawn(page, await imageFromApi(link, { fg: '#003049', logo: { image: svgLogo } }))
    await page.getByLabel('Remove the logo').check()
    await assertDrawn(page, await imageFromApi(link, { fg: '#003049' }))
  })

  inBrowser('the choices that the browser restores after "back"', async (page) => {
    const link = await create1()
    await open(page, link)
    await choose(page, { shape: 'diamond', logo: fileOf(svgFile) })
    await assertDrawn(page, await imageFromApi(link, { shape: 'diamond', logo: { image: svgLogo } }))
    await page.goto(link.short_url + '+')
    await page.goBack()
    const values = await page.evaluate<[string, number]>(
      '[document.querySelector("[name=shape]:checked").value, document.querySelector("[name=logo]").files.length]',
    )
    const [shape, files] = values
    await assertDrawn(
      page,
      await imageFromApi(link, {
        ...(shape !== 'square' && { shape }),
        ...(files > 0 && { logo: { image: svgLogo } }),
      }),
    )
  })
})

describe('the check', () => {
  inBrowser(
    'reports, after a pause, how well the design scans and how large to print it, and saves nothing',
    async (page) => {
      const link = await create1()
      await open(page, link)
      const printed = await page.locator('.owner-code img.qr').getAttribute('src')
      await choose(page, { shape: 'rounded' })
      await untilVerdict(
        page,
        /^(?:Excellent|Good): .* Contrast 21:1\. Print it at least \d+ mm wide: phones can read that from \d+(?:\.\d)? cm\.$/,
      )
      await choose(page, { fg: '#ffffff', bg: '#000000', margin: '2' })
      await untilVerdict(
        page,
        /^Poor: .* light on dark\. .* The quiet zone is narrow: leave the paper around the code empty\.$/,
      )
      assert.equal(await page.locator('.owner-code img.qr').getAttribute('src'), printed)
      assert.equal(await designOf(link), null)

      await page.reload()
      await open(page, link)
      await choose(page, { shape: 'rounded' })
      assert.equal(await press(page, 'Save design'), 200)
      assert.deepEqual(await designOf(link), { shape: 'rounded' })
      assert.notEqual(await page.locator('.owner-code img.qr').getAttribute('src'), printed)
    },
  )

  inBrowser('does not run while the owner changes nothing', async (page) => {
    const link = await create1()
    const posted: string[] = []
    page.on('request', (request) => void (request.method() === 'POST' && posted.push(request.url())))
    await open(page, link)
    // Timers fire in order: a timer of the check would have fired before this one.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 600))')
    assert.deepEqual(posted, [])
    await choose(page, { shape: 'dots' })
    await untilVerdict(page, /scans/)
    page.removeAllListeners('request')
    assert.equal(posted.length, 1, 'once, for the choice')
  })

  inBrowser('shows at an input what to change when the image is unreadable', async (page) => {
    const link = await create1()
    await open(page, link)
    const faint = {
      custom_eye_frame_color: true,
      eye_frame_color: '#d9d9d9',
      custom_eye_ball_color: true,
      eye_ball_color: '#d9d9d9',
    }
    const refused = await post(`${server.url}/api/qr`, {
      data: textOf(link),
      design: { eye_frame_color: '#d9d9d9', eye_ball_color: '#d9d9d9' },
    })
    assert.equal(refused.status, 400)
    await choose(page, faint)
    await untilVerdict(
      page,
      /^This design cannot be used\. The code cannot be scanned like this\. It works without: the colour of the corner frames and the colour of the corner centres\.$/,
    )
    assert.match((await page.locator('#fault-eye_frame_color').textContent()) ?? '', /cannot be scanned like this/)
    assert.equal(await page.locator('[name=eye_frame_color]').getAttribute('aria-invalid'), 'true')
    await choose(page, { custom_eye_frame_color: false, custom_eye_ball_color: false })
    await untilVerdict(page, /scans/)
    assert.equal(await page.locator('#fault-eye_frame_color').textContent(), '')
    assert.equal(await page.locator('[name=eye_frame_color]').getAttribute('aria-invalid'), null)
  })

  inBrowser('does not show a late result for an older design', async (page, t) => {
    const link = await create1()
    await open(page, link)
    const held: Route[] = []
    const report = (scannability: string) => ({
      json: {
        scannability,
        inverted: false,
        contrast_ratio: 7,
        quiet_zone: 4,
        print: { smallest_mm: 20, distance_mm: 200 },
      },
    })
    await page.route(CHECK, (route) => void held.push(route))
    t.after(() => page.unroute(CHECK))
    await page.evaluate(`{
      window.announced = []
      const verdict = document.querySelector('.preview .verdict')
      new MutationObserver(() => announced.push(verdict.textContent)).observe(verdict, { childList: true })
    }`)
    await choose(page, { shape: 'classy' })
    await poll(() => held.length === 1)
    await held[0]?.fulfill(report('fair'))
    await untilVerdict(page, /^Fair/)
    await choose(page, { shape: 'dots' })
    await poll(() => held.length === 2)
    assert.equal(await verdict(page), '', 'the result for another design is gone')
    await choose(page, { shape: 'rounded' })
    await poll(() => held.length === 3)
    assert.match(held[1]?.request().postData() ?? '', /dots/)
    assert.match(held[2]?.request().postData() ?? '', /rounded/)
    await held[2]?.fulfill(report('good'))
    await untilVerdict(page, /^Good/)
    // The browser has cancelled this request already, or ignores its response.
    await held[1]?.fulfill(report('poor')).catch(() => undefined)
    await page.evaluate('fetch("/assets/quirl.svg").then((answer) => answer.text())')
    const announced = await page.evaluate<string[]>(
      'announced.filter((text) => text !== "").map((text) => text.slice(0, 4))',
    )
    assert.deepEqual(announced, ['Fair', 'Good'])
  })

  const inLimitedBrowser = testsIn(sharedWindows(end, () => limited.url))
  let limited: TestServer
  before(async () => {
    limited = await startServer(end, { LIMIT_QR: '2' })
  })
  inLimitedBrowser(
    'explains the rate limit, past which the preview goes on',
    async (page) => {
      const link = await create(limited, { target: 'https://example.com/menu' })
      await open(page, link, limited)
      await choose(page, { shape: 'dots' })
      await untilVerdict(page, /scans/)
      await choose(page, { shape: 'rounded' })
      await untilVerdict(page, /^The check is paused, because too many .+ It continues in \d+ min\.$/)
      await assertDrawn(page, await imageFromApi(link, { shape: 'rounded' }))
    },
    { scripts: true },
  )

  for (const [name, answer, words] of [
    ['503', { status: 503, json: { code: 'unavailable', detail: 'x' } }, /is busy right now/],
    ['502 of a proxy', { status: 502, body: '<html>bad gateway' }, /is busy right now/],
    ['truncated response', { status: 200, body: '{"scannab' }, /cannot be reached/],
    ['refused connection', undefined, /cannot be reached/],
  ] as const) {
    inBrowser(`explains a ${name}, which marks no input and does not prevent saving`, async (page, t) => {
      const link = await create1()
      await open(page, link)
      await page.route(CHECK, (route) =>
        answer === undefined ? route.abort('connectionrefused') : route.fulfill(answer),
      )
      t.after(() => page.unroute(CHECK))
      await choose(page, { shape: 'dots' })
      await untilVerdict(page, words)
      await assertDrawn(page, await imageFromApi(link, { shape: 'dots' }))
      assert.deepEqual(
        await page
          .locator('.fault')
          .allTextContents()
          .then((all) => all.filter((text) => text !== '')),
        [],
      )
      assert.equal(await press(page, 'Save design'), 200)
      assert.deepEqual(await designOf(link), { shape: 'dots' })
    })
  }
})

describe('a design that scans poorly', () => {
  const pale = { fg: '#ffe27a' }
  const words = /^Poor: many scanners cannot read a code with so little contrast\. Contrast 1\.\d+:1\./

  inBrowser(
    'is saved when the owner says so once more, and its verdict stays until the design changes',
    async (page) => {
      const link = await create1()
      await open(page, link)
      await choose(page, pale)
      await untilVerdict(page, words)
      assert.equal(await press(page, 'Save design'), 400)
      assert.match((await page.getByRole('alert').first().innerText()) ?? '', /^Not saved yet\. Poor:/)
      assert.equal(await designOf(link), null)
      assert.equal(await press(page, 'Save all the same'), 200)
      assert.deepEqual(await designOf(link), pale)
      assert.match((await page.locator('#design [role=status]').innerText()) ?? '', /although it scans poorly/)

      await open(page, link)
      await untilVerdict(page, words)
      const seen = page.locator('main :is(.chip, #design .note).warning').filter({ visible: true })
      assert.match(
        (await seen.allInnerTexts()).join('\n'),
        /^Hard to scan\nPoor: .* All these files have this design\.$/,
      )
      assert.deepEqual(await accessibilityFaults(page), [])
      await choose(page, { fg: '#000000' })
      await untilVerdict(page, /^Excellent/)
      await choose(page, pale)
      await untilVerdict(page, words)
      await choose(page, { fg: '#112233' })
      assert.equal(await press(page, 'Save design'), 200)
      assert.equal(await seen.count(), 0)
      await open(page, link)
      await untilVerdict(page, /^(?:Excellent|Good):/)
    },
  )

  inBrowser('has its contrast with a comma in German, by the preview and by the saved page', async (page) => {
    const link = await create1()
    await put(`${server.url}/api/manage/${link.token}`, { design: pale })
    await open(page, { ...link, token: `${link.token}?lang=de` })
    await untilVerdict(page, /^Schlecht: .* Kontrast 1,\d+:1\./)
    await choose(page, { fg: '#ffe37b' })
    await untilVerdict(page, /Kontrast 1,\d+:1\. Drucken Sie/)
    assert.match(await page.locator('#design .note').first().innerText(), /Kontrast 1,\d+:1\. Alle diese Dateien/)
  })

  inBrowser('is marked among the links that the browser keeps', async (page, t) => {
    const link = await create1()
    t.after(() => page.evaluate('localStorage.clear()'))
    await page.goto(`${server.url}/m/${link.token}`)
    await page.locator('#keep > summary').click()
    await page.getByRole('button', { name: 'Keep on this device' }).click()
    const mark = page.locator('#my-links .warning')
    await page.goto(server.url)
    await page.locator('#my-links .kept-name').waitFor()
    assert.equal(await mark.count(), 0)
    await put(`${server.url}/api/manage/${link.token}`, { design: pale })
    await page.goto(`${server.url}/m/${link.token}`)
    await page.goto(server.url)
    assert.equal(await mark.innerText(), 'QR code hard to scan')
    assert.deepEqual(await accessibilityFaults(page), [])
  })

  inScriptlessBrowser('is said to be so without scripts, too, and a light code on a dark ground', async (page) => {
    const link = await create1()
    await page.goto(`${server.url}/m/${link.token}`)
    for (const [name, color] of [
      ['fg', '#ffffff'],
      ['bg', '#000000'],
    ] as const)
      await page.locator(`.design [name=${name}]`).fill(color)
    assert.equal(await press(page, 'Save design'), 400)
    assert.equal(await page.locator('.design [name=bg]').inputValue(), '#000000')
    assert.equal(await press(page, 'Save all the same'), 200)
    assert.deepEqual(await designOf(link), { fg: '#ffffff', bg: '#000000' })
    await page.goto(`${server.url}/m/${link.token}`)
    assert.match(await page.locator('.saved-verdict').innerText(), /^Poor: .* light on dark\. Contrast 21:1\.$/)
  })
})

describe('the page shows an error at its input at once, without a request:', () => {
  const faults: [name: string, choices: Choices, field: string, words: RegExp][] = [
    ['colours without contrast', { fg: '#fefefe' }, 'fg', /The colour has a contrast of 1\.01:1 to the background/],
    ['characters that the font lacks', { frame_text: '漢字' }, 'frame_text', /does not have: 漢 字/],
    [
      'a logo that is too large for the code',
      { logo: fileOf(svgFile), logo_size: '40' },
      'logo_size',
      /must be at most \d+% for this data/,
    ],
    [
      'a file that is too large',
      { logo: fileOf(Buffer.alloc(3_000_000)) },
      'logo',
      /The logo must be at most 256 KiB\./,
    ],
    ['a file that is no image', { logo: fileOf(Buffer.from('GIF89a')) }, 'logo', /neither a PNG nor a JPEG nor an SVG/],
    ['an empty file', { logo: fileOf(Buffer.alloc(0)) }, 'logo', /The logo is empty/],
    ['a number out of bounds', { margin: '17' }, 'margin', /The quiet zone must be a whole number from 0 to 16\./],
    ['half a module', { margin: '1.5' }, 'margin', /The quiet zone must be a whole number from 0 to 16\./],
    ['no number', { margin: '' }, 'margin', /The quiet zone must be a whole number from 0 to 16\./],
    ['an angle out of bounds', { gradient: 'linear', gradient_angle: '360' }, 'gradient_angle', /from 0 to 359/],
    ['a logo of half the width', { logo: fileOf(svgFile), logo_size: '50' }, 'logo_size', /from 5 to 40/],
  ]
  for (const [name, choices, field, words] of faults) {
    inBrowser(name, async (page) => {
      await open(page, await create1())
      const last = Object.keys(choices).at(-1) ?? ''
      const { [last]: wrong = '', ...before } = choices
      await choose(page, before)
      // The design before the fault is checked.
      if (Object.keys(before).length > 0) await untilVerdict(page, /scans/)
      const posted: string[] = []
      page.on('request', (request) => void (request.method() === 'POST' && posted.push(request.url())))
      await choose(page, { [last]: wrong })
      await page.locator(`#fault-${field}`, { hasText: words }).waitFor()
      assert.match((await verdict(page)) ?? '', /^This design cannot be used\. /)
      assert.doesNotMatch((await drawn(page)) ?? '', /NaN|undefined/)
      page.removeAllListeners('request')
      assert.deepEqual(posted, [])
    })
  }

  inBrowser('several at once, and the image follows the valid choices', async (page) => {
    const link = await create1()
    await open(page, link)
    await choose(page, { margin: '99', gradient: 'linear', gradient_angle: '-1', shape: 'dots' })
    await assertDrawn(
      page,
      await imageFromApi(link, { shape: 'dots', gradient: { type: 'linear', from: '#5a189a', to: '#03045e' } }),
    )
    await choose(page, { gradient_to: '#fefefe', frame_text: '漢' })
    const marked = page.locator('.design .fault:not(:empty)')
    await page.locator('#fault-frame_text', { hasText: '漢' }).waitFor()
    assert.deepEqual(await Promise.all((await marked.all()).map((each) => each.getAttribute('id'))), [
      'fault-gradient',
      'fault-gradient_angle',
      'fault-frame_text',
      'fault-margin',
    ])
  })

  inBrowser('errors of a refusal stay until the owner changes something', async (page) => {
    const link = await create1()
    await open(page, link)
    const faint = { custom_eye_frame_color: true, eye_frame_color: '#d9d9d9' }
    await choose(page, { ...faint, custom_eye_ball_color: true, eye_ball_color: '#d9d9d9' })
    assert.equal(await press(page, 'Save design'), 400)
    await page.locator('.preview img').waitFor()
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))')
    assert.match((await page.locator('#fault-eye_frame_color').textContent()) ?? '', /cannot be scanned like this/)
    await choose(page, { custom_eye_frame_color: false })
    await page.locator('#fault-eye_frame_color:empty').waitFor({ state: 'attached' })
  })

  inBrowser('an invalid angle is ignored where it has no effect, also when the design is saved', async (page) => {
    const link = await create1()
    await open(page, link)
    await choose(page, { gradient: 'linear', gradient_angle: '999' })
    await page.locator('#fault-gradient_angle', { hasText: 'from 0 to 359' }).waitFor()
    await choose(page, { gradient: 'radial' })
    await untilVerdict(page, /scans/)
    assert.equal(await press(page, 'Save design'), 200)
    assert.deepEqual(await designOf(link), { gradient: { type: 'radial', from: '#5a189a', to: '#03045e' } })
  })
})

inBrowser(
  'nothing on the page moves when the preview comes, so that a click reaches what it was meant for',
  async (page) => {
    const link = await create1()
    await page.goto(`${server.url}/m/${link.token}`)
    const settingsAt = () =>
      page.evaluate<number>('document.querySelector("#settings").getBoundingClientRect().top + scrollY')
    const before = await settingsAt()
    await page.locator('form.design').scrollIntoViewIfNeeded()
    await page.locator('.preview img').waitFor()
    assert.equal(await settingsAt(), before)
  },
)

inBrowser('the page says that the font failed to load, and loads it with the next change', async (page, t) => {
  const link = await create1()
  await open(page, link)
  await page.route('**/letters-*.txt', (route) => route.abort('connectionrefused'))
  t.after(() => page.unroute('**/letters-*.txt'))
  await choose(page, { frame_text: 'Scan' })
  await untilVerdict(page, /font of the frame cannot be loaded/)
  await page.unroute('**/letters-*.txt')
  await choose(page, { shape: 'dots' })
  await assertDrawn(page, await imageFromApi(link, { shape: 'dots', frame: { text: 'Scan' } }))
})

inBrowser('no logo runs or loads anything, whatever it contains', async (page) => {
  await open(page, await create1())
  const hostile = badLogos().filter(([, image]) => image.startsWith('data:image/svg+xml;base64,'))
  assert.ok(hostile.length > 20)
  for (const [name, image, words] of hostile) {
    const file = Buffer.from(image.split(',')[1] ?? '', 'base64')
    await choose(page, { logo: fileOf(file, 'logo.svg', 'image/svg+xml') })
    // Only the server's renderer finds these.
    if (/cannot be drawn/.test(words.source)) continue
    await page.locator('#fault-logo', { hasText: words }).waitFor()
    assert.doesNotMatch((await drawn(page)) ?? '', /script|example\.com|ENTITY|onload/, name)
    await choose(page, { logo: fileOf(svgFile) })
    await page.locator('#fault-logo:empty').waitFor({ state: 'attached' })
  }
  // Harmful parts that the reader drops are not drawn.
  const sly = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="urn:x" viewBox="0 0 8 8" id="a"><title>&lt;script&gt;</title>
    <metadata><x:y onclick="alert(1)">http://127.0.0.1:9/</x:y></metadata><circle cx="4" cy="4" r="4" fill="#c00"/></svg>`
  await choose(page, { logo: fileOf(Buffer.from(sly)) })
  await poll(async () => /fill="#c00"/.test((await drawn(page)) ?? ''))
  assert.doesNotMatch((await drawn(page)) ?? '', /script|alert|metadata|127\.0\.0\.1:9/)
  // The test also fails on a dialog, a request to another host, or a console message.
  assert.deepEqual(await page.evaluate('violations'), [])
})

inBrowser('a PNG logo is visible in the preview', async (page) => {
  const link = await create1()
  await open(page, link)
  await choose(page, { logo: fileOf(pngFile(16, 16, [255, 0, 0, 255])) })
  await assertDrawn(
    page,
    await imageFromApi(link, { logo: { image: dataUri('png', pngFile(16, 16, [255, 0, 0, 255])) } }),
  )
  const middle = await page.evaluate(`{
    const image = document.querySelector('.preview img')
    const canvas = document.createElement('canvas')
    canvas.width = canvas.height = 512
    const context = canvas.getContext('2d')
    image.decode().then(() => {
      context.drawImage(image, 0, 0, 512, 512)
      return [...context.getImageData(256, 256, 1, 1).data]
    })
  }`)
  assert.deepEqual(middle, [255, 0, 0, 255])
})

for (const type of ['jpeg', 'png'] as const) {
  inBrowser(`a photo that is far too large (${type}) is made smaller by the browser, and saved`, async (page) => {
    const link = await create1()
    await open(page, link)
    const photo = await page.evaluate<string>(`{
      const canvas = document.createElement('canvas')
      ;[canvas.width, canvas.height] = [1000, 500]
      const context = canvas.getContext('2d')
      const noise = context.createImageData(1000, 500)
      for (let at = 0, x = 1; at < noise.data.length; at += 4) {
        x = (Math.imul(x, 1664525) + 1013904223) >>> 0
        noise.data.set([x >>> 24, (x >>> 16) & 255, (x >>> 8) & 255, 255], at)
      }
      context.putImageData(noise, 0, 0)
      canvas.toDataURL('image/${type}', 1)
    }`)
    const buffer = Buffer.from(photo.split(',')[1] ?? '', 'base64')
    assert.ok(buffer.length > 300_000, `${buffer.length} bytes`)
    await choose(page, { logo: fileOf(buffer, 'photo', `image/${type}`) })
    await untilTrue(page, 'document.querySelector(".design [name=logo]").files[0].size <= 262144')
    await page.locator('#fault-logo:empty').waitFor({ state: 'attached' })
    assert.equal(await press(page, 'Save design'), 200)
    const response = await fetch(`${server.url}/api/manage/${link.token}`)
    const { design } = (await response.json()) as { design: { logo: { image: string } } }
    assert.ok(design.logo.image.startsWith(`data:image/${type};base64,`), design.logo.image.slice(0, 40))
  })
}

inBrowser('the page with its preview is accessible, and obeys its content security policy', async (page) => {
  const link = await create1()
  await open(page, link)
  await choose(page, { shape: 'dots', frame_text: 'Scan me', logo: fileOf(svgFile) })
  await untilVerdict(page, /scans/)
  assert.deepEqual(await accessibilityFaults(page), [])
  await choose(page, { fg: '#ffffff', margin: '99' })
  await untilVerdict(page, /cannot be used/)
  assert.deepEqual(await accessibilityFaults(page), [])
  for (const width of [320, 360, 640, 1280]) {
    await page.setViewportSize({ width, height: 720 })
    assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= width, `${width} pixels`)
  }
  assert.deepEqual(await page.evaluate('violations'), [])
  assert.equal(await page.locator('.preview .verdict').getAttribute('aria-live'), 'polite')
})

inBrowser('the form works with the keyboard alone, and the focused input is visible on a phone', async (page, t) => {
  const size = page.viewportSize()
  t.after(async () => {
    if (size) await page.setViewportSize(size)
  })
  await page.setViewportSize({ width: 360, height: 640 })
  const link = await create1()
  await open(page, link)
  await page.locator('[name=shape]:checked').focus()
  await page.keyboard.press('ArrowDown')
  await assertDrawn(page, await imageFromApi(link, { shape: 'rounded' }))
  const focused = async () => {
    const [name, isSeen] = await page.evaluate<[string, boolean]>(`{
      const focused = document.activeElement
      const { left, top, width, height } = focused.getBoundingClientRect()
      const found = document.elementFromPoint(left + width / 2, top + height / 2)
      const seen = focused.closest('.tile') ?? focused;
      [focused.name || focused.textContent.trim(), seen.contains(found)]
    }`)
    assert.ok(isSeen, `${name} is in sight`)
    return name
  }
  const visited: string[] = []
  for (let name = await focused(); name !== 'Save design'; name = await focused()) {
    visited.push(name)
    assert.ok(visited.length < 60)
    if (name === 'custom_eye_frame_color' || name === 'transparent') await page.keyboard.press('Space')
    if (name === 'frame_text') await page.keyboard.type('Hi')
    await page.keyboard.press('Tab')
  }
  while ((await focused()) !== 'shape') await page.keyboard.press('Shift+Tab')
  for (const name of [
    'eye_frame',
    'gradient',
    'fg',
    'eye_frame_color',
    'logo',
    'logo_size',
    'frame_shape',
    'margin',
    'ecl',
  ]) {
    assert.ok(visited.includes(name), `${name} is reached`)
  }
  const look = { shape: 'rounded', bg: 'transparent', eye_frame_color: '#000000', frame: { text: 'Hi' } }
  await assertDrawn(page, await imageFromApi(link, look))
  await page.getByRole('button', { name: 'Save design' }).focus()
  const loaded = page.waitForEvent('load')
  await page.keyboard.press('Enter')
  await loaded
  assert.deepEqual(await designOf(link), look)
})

inScriptlessBrowser('without scripts there is no preview, and the form still saves', async (page) => {
  const link = await create1()
  await page.goto(`${server.url}/m/${link.token}`)
  assert.equal(await page.locator('.preview').count(), 0)
  await pick(page, 'shape', 'dots')
  assert.equal(await press(page, 'Save design'), 200)
  assert.deepEqual(await designOf(link), { shape: 'dots' })
  assert.match((await page.locator('#design > details > [role=status]').textContent()) ?? '', /^The design is saved/)
})

describe('the script', () => {
  const pageOf = async (link: Created) => {
    const answer = await fetch(`${server.url}/m/${link.token}`)
    const html = await answer.text()
    return { html, policy: answer.headers.get('content-security-policy') ?? '' }
  }

  test('is served immutable under a hash of its content, also compressed, and without a source map', async () => {
    const { html } = await pageOf(await create1())
    const path = /data-script="(\/assets\/design-[\da-f]{16}\.js)"/.exec(html)?.[1]
    assert.ok(path)
    const answer = await fetch(server.url + path, { headers: { 'accept-encoding': 'gzip' } })
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(answer.headers.get('content-type'), 'text/javascript; charset=utf-8')
    assert.equal(answer.headers.get('content-encoding'), 'gzip')
    const plain = await fetch(server.url + path, { headers: { 'accept-encoding': 'identity' } })
    assert.equal(plain.headers.get('content-encoding'), null)
    const code = await plain.text()
    assert.equal(code, await answer.text())
    assert.equal(code, readFileSync(new URL('dist/client/design.js', root), 'utf8'))
    assert.doesNotMatch(code, /sourceMappingURL/)
    assert.equal((await fetch(`${server.url}${path}.map`)).status, 404)
  })

  test('contains nothing of Node and no schemas', () => {
    const code = readFileSync(new URL('dist/client/design.js', root), 'utf8')
    assert.doesNotMatch(code, /\bBuffer\b|\bprocess\.|\brequire\(|node:|additionalProperties/)
  })

  test('runs on the page of the owner only; no page allows inline scripts or other hosts', async () => {
    const link = await create1()
    const { html, policy } = await pageOf(link)
    assert.match(policy, /connect-src 'self'; script-src 'self'$/)
    assert.match(policy, /img-src 'self' blob:;/)
    assert.doesNotMatch(policy, /unsafe|data:|\*|https?:/)
    const elements = html.replace(/="[^"]*"/g, '=""')
    assert.doesNotMatch(elements.replaceAll('<script type="" src=""></script>', ''), /<script|<style| on\w+=/)
    for (const path of ['/report', `/${link.code}+`, '/m/unknown']) {
      const other = await fetch(server.url + path, { headers: { accept: 'text/html' } })
      assert.doesNotMatch(other.headers.get('content-security-policy') ?? '', /script-src|blob:/, path)
      assert.doesNotMatch(await other.text(), /<script/, path)
    }
    assert.doesNotMatch(await (await fetch(server.url)).text(), /assets\/design/)
  })

  test('may be missing: the service logs that once, and the page works without it', async (t) => {
    const folder = temporaryFolder(t)
    // With the bundle of the server: threads that load the sources anew took longer than a drawing may, on a busy machine.
    for (const part of ['bin', 'build', 'src', 'package.json', 'dist/packages', 'dist/server'])
      cpSync(new URL(part, root), join(folder, part), { recursive: true })
    symlinkSync(fileURLToPath(new URL('node_modules', root)), join(folder, 'node_modules'))
    const service = await start(t, undefined, [], { file: join(folder, 'bin/quirl.js') })
    const link = await create(service, { target: 'https://example.com/' })
    const page = `${service.url}/m/${link.token}`
    assert.doesNotMatch(await (await fetch(page)).text(), /<script|data-script/)
    const body = new URLSearchParams({ action: 'design', shape: 'dots' })
    assert.equal((await fetch(page, { method: 'POST', body, redirect: 'manual' })).status, 303)
    const lines = service.output().match(/.*pages have no scripts.*/g)
    assert.equal(lines?.length, 1)
  })
})

test('the service logs no error', () => assert.deepEqual(server.logged, []))
