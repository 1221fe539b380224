import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { accentOf } from '../src/links/kinds/shared/accent.ts'
import { findKind } from '../src/links/kinds/index.ts'
import { hexOf } from '../src/lib/color.ts'
import { sharedWindows } from './support/browser.ts'
import { endOfFile } from './support/cleanup.ts'
import { startServer, type TestServer } from './support/server.ts'

// The phone on the start page shows what the page of the link will be.

const end = endOfFile()
let server: TestServer
before(async () => {
  server = await startServer(end)
})
const openWindow = sharedWindows(end, () => server.url)

const names = [
  'my links',
  '„Zum Löwen“ Menü',
  'Müller’s Bakery & Café',
  '☕ Café über 7',
  'e\u0301clair ÉCOLE',
  '  spaced   out  ',
  'ß straße',
  '東京 カフェ',
  '𝒜nna 𝔅',
  'مقهى السلام',
  '☕☕',
  '(b) c',
  '7 up',
  'ǆ one',
]

/** The picture of the page of a link. */
function avatarOf(kind: string, payload: Record<string, unknown>): string {
  const visit = findKind(kind)?.prepare({ code: 'x', target: null, payload, utm: {} })({ platform: 'other' })
  assert.equal(visit?.type, 'document')
  const viewer = { language: 'en', browser: null, origin: 'https://go.bakery.shop', service: '' } as const
  const { markup } = visit.pageFor(viewer).body
  return /<p class="avatar[^>]*>([^<]*)</.exec(markup)?.[1] ?? ''
}

/** Types values into the form, one after the other, and reads what the phone shows for each, drawn first in the same frame. */
const shown = (field: string, values: string[], read: string) => `(async () => {
  const input = document.querySelector('[name="${field}"]')
  const found = []
  for (const value of ${JSON.stringify(values)}) {
    input.value = value
    input.dispatchEvent(new Event('input', { bubbles: true }))
    await new Promise((done) => requestAnimationFrame(done))
    found.push(${read})
  }
  return found
})()`

const initials = "document.querySelector('.home-phone .initials')?.textContent ?? ''"
const ink = "getComputedStyle(document.querySelector('.home-phone .press')).color"

test('the phone shows the initials of the page and of the contact, whatever the name', async (t) => {
  const page = await openWindow(t, { scripts: true })
  for (const [kind, field] of [
    ['page', 'headline'],
    ['vcard', 'firstName'],
    ['vcard', 'org'],
  ] as const) {
    await page.goto(`${server.url}/?kind=${kind}`)
    const expected = names.map((name) => avatarOf(kind, { [field]: name }))
    assert.deepEqual(await page.evaluate(shown(field, names, initials)), expected, `${kind} ${field}`)
  }
})

test('the phone writes on a button in the ink of the page, whatever the colour', async (t) => {
  const page = await openWindow(t, { scripts: true })
  await page.goto(`${server.url}/?kind=page`)
  await page.evaluate(shown('link_label', ['Menu'], '1'))
  const steps = [0, 51, 102, 128, 153, 204, 255]
  const colors = steps.flatMap((red) => steps.flatMap((green) => steps.map((blue) => hexOf([red, green, blue]))))
  const expected = colors.map((color) => `rgb(${accentOf(color).onFill.join(', ')})`)
  assert.deepEqual(await page.evaluate(shown('accent', colors, ink)), expected)
})
