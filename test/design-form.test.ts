import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { Problem } from '../src/http/problem.ts'
import { contrast, parseColor } from '../src/qr/color.ts'
import { palettes, presets } from '../src/web/designer/presets.ts'
import { press, sharedWindows, testsIn } from './support/browser.ts'
import { endOfFile } from './support/cleanup.ts'
import { dataUri, jpegFile, pngFile, svgLogo } from './support/logos.ts'
import { create, post, put, startServer, type Created, type TestServer, details } from './support/server.ts'

const end = endOfFile()
let server: TestServer
const inBrowser = testsIn(sharedWindows(end, () => server.url))
before(async () => {
  server = await startServer(end)
})

const svgFile = Buffer.from(svgLogo.split(',')[1] ?? '', 'base64')
const ownersPage = ({ token }: Created) => `${server.url}/m/${token}`

interface Details {
  design: Record<string, unknown> | null
  updated_at: string
}

const designOf = async (link: Created) => (await details<Details>(server, link)).design

async function designed(design: object): Promise<Created> {
  const link = await create(server, { target: 'https://example.com/' })
  const saved = await put(`${server.url}/api/manage/${link.token}`, { design })
  assert.equal(saved.status, 200, await saved.clone().text())
  return link
}

/** Opens the page of a link and all collapsed sections of the design form. */
async function open(page: Page, link: Created): Promise<void> {
  await page.goto(ownersPage(link))
  await page.evaluate('for (const section of document.querySelectorAll(".design details")) section.open = true')
}

const choose = (page: Page, file: Uint8Array, name = 'logo.png', mimeType = 'image/png') =>
  page.locator('[name=logo]').setInputFiles({ name, mimeType, buffer: Buffer.from(file) })
const use = (page: Page) => press(page, 'Save design')
const faultBeside = (page: Page, name: string) => page.locator(`#fault-${name}`).textContent()

test('every ready-made look scans well, and every palette has a high contrast', async () => {
  for (const [name, design] of Object.entries(presets)) {
    const response = await post(`${server.url}/api/qr?report=true`, {
      data: 'https://qr.example.com/k7dw3nq?qr=1',
      design,
    })
    const { scannability } = (await response.json()) as Record<string, unknown>
    assert.match(String(scannability), /^(?:excellent|good)$/, name)
  }
  for (const [name, { fg, bg }] of Object.entries(palettes)) {
    const { ratio, inverted } = contrast(parseColor(fg), parseColor(bg))
    assert.ok(ratio >= 7 && !inverted, `${name} has a contrast of ${ratio}`)
  }
})

describe('an owner without scripts', () => {
  inBrowser('saves a ready-made look, which leaves logo and frame as they are', async (page) => {
    const kept = { frame: { text: 'Scan me' }, margin: 5 }
    const link = await designed({ ...kept, eye_frame_color: '#112233' })
    await open(page, link)
    assert.equal(await press(page, 'Berry'), 200)
    assert.deepEqual(await designOf(link), { ...kept, ...presets.berry })
    await open(page, link)
    assert.equal(await press(page, 'Navy'), 200)
    const { gradient: _gradient, ...berry } = presets.berry
    assert.deepEqual(await designOf(link), { ...kept, ...berry, ...palettes.navy })
  })

  inBrowser('sets every field of a design, and each is saved', async (page) => {
    const link = await create(server, { target: 'https://example.com/' })
    await open(page, link)
    for (const [group, picture] of [
      ['Dots', 'Circles'],
      ['Corner frames', 'Leaf'],
      ['Corner centres', 'Circle'],
    ] as const)
      await page.getByRole('group', { name: group, exact: true }).getByText(picture, { exact: true }).click()
    await page.getByLabel('Fill').selectOption('Linear gradient')
    await page.getByLabel('From', { exact: true }).fill('#c1121f')
    await page.getByLabel('To', { exact: true }).fill('#780000')
    await page.getByLabel('Angle').fill('45')
    await page.getByLabel('Background', { exact: true }).fill('#fefae0')
    await page.getByLabel('Custom colour for the corner frames').check()
    await page.getByLabel('Colour of the corner frames').fill('#003049')
    await page.getByLabel('Custom colour for the corner centres').check()
    await page.getByLabel('Colour of the corner centres').fill('#001d3d')
    await choose(page, svgFile, 'logo.svg', 'image/svg+xml')
    await page.getByLabel('Size').fill('15.5')
    await page.getByLabel('Dots behind the logo').selectOption('Drawn')
    await page.getByLabel('Text', { exact: true }).fill('Scan me')
    await page.locator('[name=frame_position]').selectOption('Above')
    await page.getByLabel('Corners').selectOption('Square')
    await page.getByLabel('Custom colour for the frame').check()
    await page.getByLabel('Colour of the frame').fill('#540b0e')
    await page.getByLabel('Custom colour for the text').check()
    await page.getByLabel('Colour of the text').fill('#fff3b0')
    await page.getByLabel('Quiet zone').fill('6')
    await page.getByLabel('Error correction').selectOption('Q: 25%')
    assert.equal(await use(page), 200)
    assert.match((await page.getByRole('status').first().textContent()) ?? '', /The design is saved/)
    assert.deepEqual(await designOf(link), {
      shape: 'dots',
      eye_frame: 'leaf',
      eye_ball: 'circle',
      gradient: { type: 'linear', from: '#c1121f', to: '#780000', angle: 45 },
      bg: '#fefae0',
      eye_frame_color: '#003049',
      eye_ball_color: '#001d3d',
      logo: { image: svgLogo, size: 0.155, knockout: false },
      frame: { text: 'Scan me', position: 'top', shape: 'square', color: '#540b0e', text_color: '#fff3b0' },
      margin: 6,
      ecl: 'Q',
    })
  })

  inBrowser('sees only the inputs that have an effect', async (page) => {
    await open(page, await create(server, { target: 'https://example.com/' }))
    const isShown = (name: string) => page.locator(`[name=${name}]`).isVisible()
    const shown = async (...names: string[]) => Promise.all(names.map(isShown))
    const names = ['fg', 'gradient_from', 'gradient_to', 'gradient_angle'] as const
    assert.deepEqual(await shown(...names), [true, false, false, false])
    await page.locator('[name=gradient]').selectOption('linear')
    assert.deepEqual(await shown(...names), [false, true, true, true])
    await page.locator('[name=gradient]').selectOption('radial')
    assert.deepEqual(await shown(...names), [false, true, true, false])
    assert.deepEqual(await shown('bg', 'eye_frame_color'), [true, false])
    await page.locator('[name=transparent]').check()
    await page.locator('[name=custom_eye_frame_color]').check()
    assert.deepEqual(await shown('bg', 'eye_frame_color'), [false, true])
  })

  const designs: [name: string, design: object][] = [
    ['with opacities', { fg: '#102030c0', bg: '#fffef0f0' }],
    [
      'with short colours and colours without #',
      { fg: '123', bg: 'FFF', eye_frame_color: 'A00', eye_ball_color: '#00a' },
    ],
    ['with a gradient without an angle', { gradient: { type: 'linear', from: '#003', to: '400' } }],
    ['with a radial gradient that has an angle', { gradient: { type: 'radial', from: '#003', to: '#400', angle: 90 } }],
    ['with a logo of an odd size', { logo: { image: svgLogo, size: 0.123456 } }],
    ['with a logo on its modules', { logo: { image: svgLogo, size: 0.1, knockout: false } }],
    ['with a frame of defaults', { frame: { text: '  Scan  me ' } }],
    ['without a background and a quiet zone', { bg: 'transparent', margin: 0, ecl: 'H' }],
    ['with the values of a plain code', { shape: 'square', fg: '#000000', margin: 4, ecl: 'M', bg: '#ffffff' }],
  ]
  for (const [name, design] of designs) {
    inBrowser(`submits the form of a design ${name} unchanged, and nothing changes`, async (page) => {
      const link = await designed(design)
      const before = await details<Details>(server, link)
      await open(page, link)
      assert.equal(await use(page), 200)
      assert.deepEqual(await designOf(link), design)
      assert.equal((await details<Details>(server, link)).updated_at, before.updated_at)
    })
  }

  for (const [type, file] of [
    ['png', pngFile(16, 16)],
    ['jpeg', jpegFile()],
    ['svg+xml', svgFile],
  ] as const) {
    inBrowser(`adds a logo of the type ${type}, whatever its file name, and removes it again`, async (page) => {
      const link = await create(server, { target: 'https://example.com/' })
      await open(page, link)
      await choose(page, file, 'logo', 'application/octet-stream')
      assert.equal(await use(page), 200)
      assert.deepEqual(await designOf(link), { logo: { image: dataUri(type, file) } })
      await open(page, link)
      await page.getByLabel('Remove the logo').check()
      assert.equal(await use(page), 200)
      assert.deepEqual(await designOf(link), {})
    })
  }

  for (const [name, file, words] of [
    ['a GIF', Buffer.from('GIF89a'), /The logo is neither a PNG nor a JPEG nor an SVG\./],
    ['an empty file', Buffer.alloc(0), /The logo is empty/],
    ['a PNG that is cut off', pngFile(16, 16).subarray(0, 60), /The logo is a PNG that is cut off\./],
    ['a picture of 300 KiB', Buffer.alloc(300 * 1024, 'x'), /The logo must be at most 256 KiB\./],
    ['a picture of 1.9 MiB', Buffer.alloc(1_950_000, 'x'), /The logo must be at most 256 KiB\./],
  ] as const) {
    inBrowser(`sees at the logo why ${name} is refused, and keeps the other choices`, async (page) => {
      const link = await designed({ margin: 5 })
      await open(page, link)
      await choose(page, file)
      await page.locator('.tile:has([name=shape][value=dots])').click()
      assert.equal(await use(page), 400)
      assert.match(
        (await page.getByRole('alert').textContent()) ?? '',
        /Design not saved\. Please correct the marked fields\./,
      )
      assert.match((await faultBeside(page, 'logo')) ?? '', words)
      assert.equal(await page.locator('[name=shape]:checked').inputValue(), 'dots')
      assert.equal(await page.locator('[name=logo_image]').inputValue(), '', 'an invalid logo is not kept')
      assert.deepEqual(await designOf(link), { margin: 5 })
    })
  }

  inBrowser('sees that a photo of 5 MB is too large, and can go back', async (page) => {
    const link = await designed({ margin: 5 })
    await open(page, link)
    await choose(page, Buffer.alloc(5_000_000, 'x'), 'photo.jpg', 'image/jpeg')
    assert.equal(await use(page), 413)
    assert.match(
      (await page.locator('main').textContent()) ?? '',
      /too much at once\s+Please go back .* at most 256 KiB/,
    )
    assert.deepEqual(await designOf(link), { margin: 5 })
  })

  inBrowser('keeps every choice after a refusal, also the logo, and saves after correcting one', async (page) => {
    const link = await designed({ bg: '#fffef0f0' })
    await open(page, link)
    await choose(page, svgFile, 'logo.svg', 'image/svg+xml')
    await page.locator('[name=logo_size]').fill('12')
    await page.locator('[name=frame_text]').fill('漢字')
    await page.locator('[name=custom_frame_color]').check()
    await page.locator('[name=frame_color]').fill('#540b0e')
    await page.locator('[name=fg]').fill('#fdfdfd')
    await page.locator('[name=margin]').fill('7')
    assert.equal(await use(page), 400)
    assert.match(
      (await faultBeside(page, 'frame_text')) ?? '',
      /The text has characters that the font does not have: 漢 字/,
    )
    assert.match((await faultBeside(page, 'fg')) ?? '', /The colour has a contrast of 1\.0\d:1 to the background/)
    assert.equal(await page.locator('[name=fg]').getAttribute('aria-invalid'), 'true')
    assert.match((await page.locator('#logo-state').textContent()) ?? '', /Your new logo is still here/)

    await page.locator('[name=fg]').fill('#111111')
    await page.locator('[name=frame_text]').fill('Scan')
    assert.equal(await use(page), 200)
    assert.deepEqual(await designOf(link), {
      fg: '#111111',
      bg: '#fffef0f0',
      logo: { image: svgLogo, size: 0.12 },
      frame: { text: 'Scan', color: '#540b0e' },
      margin: 7,
    })
  })

  inBrowser('sees a collapsed section opened when it has an error', async (page) => {
    const link = await create(server, { target: 'https://example.com/' })
    await open(page, link)
    await page.locator('[name=custom_eye_ball_color]').check()
    await page.locator('[name=eye_ball_color]').fill('#ffffff')
    assert.equal(await use(page), 400)
    assert.ok(await page.getByText('The colour of the corner centres has a contrast of 1.00:1').isVisible())
    assert.equal(await designOf(link), null)
  })

  inBrowser('keeps every choice when the service is too busy to draw, and can save again', async (page, t) => {
    const link = await create(server, { target: 'https://example.com/' })
    await open(page, link)
    await page.locator('.tile:has([name=shape][value=dots])').click()
    await choose(page, svgFile, 'logo.svg', 'image/svg+xml')
    const busy = t.mock.method(server.services.qr.images, 'designed', () =>
      Promise.reject(new Problem('unavailable', 'too many images are being drawn')),
    )
    assert.equal(await use(page), 503)
    assert.match((await page.getByRole('alert').textContent()) ?? '', /Design not saved\. The service is overloaded/)
    busy.mock.restore()
    assert.equal(await use(page), 200)
    assert.deepEqual(await designOf(link), { shape: 'dots', logo: { image: svgLogo } })
  })

  inBrowser('cannot overwrite in one window a change of another without a warning', async (page) => {
    const link = await create(server, { target: 'https://example.com/' })
    await open(page, link)
    await put(`${server.url}/api/manage/${link.token}`, { design: { shape: 'dots' } })
    await page.locator('[name=margin]').fill('6')
    assert.equal(await use(page), 412)
    assert.match((await page.getByRole('alert').textContent()) ?? '', /changed elsewhere/)
    assert.deepEqual(await designOf(link), { shape: 'dots' })
    assert.equal(await page.locator('[name=margin]').inputValue(), '6')
    assert.equal(await use(page), 200)
    assert.deepEqual(await designOf(link), { shape: 'square', margin: 6 })
  })
})

describe('a form with a file', () => {
  const send = (link: Created, body: Uint8Array | string, type = 'multipart/form-data; boundary=edge') =>
    fetch(ownersPage(link), { method: 'POST', body: Buffer.from(body), headers: { 'content-type': type } })
  const part = (name: string, text: string) =>
    `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`
  const whole = `${part('action', 'design')}${part('margin', '6')}--edge--\r\n`

  test('is read in UTF-8', async () => {
    const link = await create(server, { target: 'https://example.com/' })
    const body = `${part('action', 'design')}${part('frame_text', 'Приветü')}--edge--\r\n`
    assert.equal((await send(link, body)).status, 200)
    assert.deepEqual(await designOf(link), { frame: { text: 'Приветü' } })
  })

  test('gets a 400 and saves nothing when it is truncated anywhere, empty, or has no boundary', async () => {
    const link = await create(server, { target: 'https://example.com/' })
    for (let length = 0; length < whole.length - 4; length += 3) {
      assert.equal((await send(link, whole.slice(0, length))).status, 400, `${length} bytes`)
    }
    for (const type of [
      'multipart/form-data',
      'multipart/form-data; boundary=other',
      'multipart/form-data; boundary=',
    ]) {
      const answer = await send(link, whole, type)
      assert.equal(answer.status, 400, type)
      assert.match(await answer.text(), /not valid multipart\/form-data/)
    }
    assert.equal(await designOf(link), null)
  })

  test('may have field names that are special in JavaScript', async () => {
    const link = await create(server, { target: 'https://example.com/' })
    const odd = ['__proto__', 'constructor', 'toString'].map((name) => part(name, 'x')).join('')
    assert.equal((await send(link, odd + whole)).status, 200)
    assert.deepEqual(await designOf(link), { margin: 6 })
  })

  test('of thousands of parts, or with excessive headers, is refused before it is parsed', async () => {
    const link = await create(server, { target: 'https://example.com/' })
    const manyParts = part('x', 'y').repeat(10_000) + whole
    const manyHeaders = `--edge\r\n${'a: b\r\n'.repeat(10_000)}\r\nx\r\n${whole}`
    const other = 'multipart/form-data; xboundary=other; boundary=edge'
    for (const [body, type] of [[manyParts], [manyHeaders], [manyParts, other], [`--other--\r\n${manyParts}`, other]]) {
      assert.equal((await send(link, body ?? '', type)).status, 400)
    }
    assert.equal(await designOf(link), null)
  })

  test('whose client disconnects in the middle logs no error', async () => {
    const link = await create(server, { target: 'https://example.com/' })
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    const head = `POST /m/${link.token} HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n`
    socket.write(`${head}Content-Type: multipart/form-data; boundary=edge\r\n\r\n${whole}`)
    // Once the service has responded to another request, it has begun to process this one.
    await details<Details>(server, link)
    socket.destroy()
    await once(socket, 'close')
    await details<Details>(server, link)
    assert.deepEqual(server.logged, [])
  })

  test('for an unknown token gets a 404', async () => {
    const unknown = { token: 'A'.repeat(43) } as Created
    assert.equal((await send(unknown, whole)).status, 404)
  })
})

test('the service logs no error', () => assert.deepEqual(server.logged, []))
