import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../../http/problem.ts'
import { openPrintFonts } from './fonts.ts'
import { LEAST_MODULE_MM } from '../printed-size.ts'
import { composePage, type PageContent, type Part, type PrintPage } from './page.ts'
import { templates, typographies, type Template, type TemplateName, type TypographyName } from './template.ts'

const fontOf = await openPrintFonts()
const short: PageContent = {
  title: 'Menu',
  text: '',
  address: 'qr.example.com/k7dw3nq',
  code: { ratio: 1, columns: 37, quiet: 0 },
  logo: undefined,
}
const compose = (paper: TemplateName, style: TypographyName, content: Partial<PageContent>) =>
  composePage(templates[paper], typographies[style], { ...short, ...content }, fontOf)
const papers = Object.keys(templates) as TemplateName[]
const styles = Object.keys(typographies) as TypographyName[]

/** Left, upper, right and lower edge of a part on its face; of a text, from its highest letter to its lowest. */
function edgesOf(part: Part): [number, number, number, number] {
  if (part.kind !== 'text') return [part.x, part.y, part.x + part.width, part.y + part.height]
  const { x, width, baseline, size } = part
  return [x, baseline - size * 0.93, x + width, baseline + size * 0.25]
}

function partsOf({ faces }: PrintPage): Part[] {
  return faces.flatMap(({ parts }) => parts)
}

/** Whether a point is inside the edge that stays empty. */
function isInside(
  { edge, shape, width, height }: Template,
  face: { width: number; height: number },
  x: number,
  y: number,
) {
  if (shape === 'circle') return Math.hypot(x - width / 2, y - height / 2) <= width / 2 - edge + 1e-6
  return x >= edge - 1e-6 && y >= edge - 1e-6 && x <= face.width - edge + 1e-6 && y <= face.height - edge + 1e-6
}

const texts: Record<string, Partial<PageContent>> = {
  'one line': {},
  'three texts': { text: 'Scan the code with your phone' },
  'one long word': { title: 'Donaudampfschifffahrtsgesellschaft' },
  accents: { title: 'Ýčřåm Ñandú Żółć', text: 'Ünïcödé à la carte' },
  Greek: { title: 'Κατάλογος', text: 'Σαρώστε τον κωδικό' },
  Cyrillic: { title: 'Меню ресторана', text: 'Наведите камеру' },
  'a frame': { code: { ratio: 1.17, columns: 39, quiet: 0 } },
  'a design without a quiet zone': { code: { ratio: 1, columns: 29, quiet: 4 } },
}

/** Each template in each typography with each content. */
function* cases(contents: Record<string, Partial<PageContent>>) {
  for (const paper of papers)
    for (const style of styles)
      for (const [name, content] of Object.entries(contents))
        yield { what: `${paper} ${style} ${name}`, name, paper, draw: () => compose(paper, style, content) }
}

test('all of a page is inside its edges, and nothing lies on its code', () => {
  for (const { what, draw } of cases(texts)) {
    const page = draw()
    for (const { parts, ...face } of page.faces) {
      for (const [x, y] of parts.flatMap(cornersOf))
        assert.ok(isInside(page.template, face, x, y), `${what}: ${x} ${y}`)
      const code = parts.find(({ kind }) => kind === 'code')
      assert.ok(code !== undefined)
      const onCode = parts.filter((part) => part !== code && overlaps(edgesOf(part), edgesOf(code)))
      assert.deepEqual(onCode, [], what)
    }
  }
})

function cornersOf(part: Part): (readonly [number, number])[] {
  const [left, top, right, bottom] = edgesOf(part)
  return [
    [left, top],
    [right, top],
    [left, bottom],
    [right, bottom],
  ]
}

function overlaps([left, top, right, bottom]: readonly number[], other: readonly number[]): boolean {
  const [x = 0, y = 0, x2 = 0, y2 = 0] = other
  return (
    Math.min(right ?? 0, x2) - Math.max(left ?? 0, x) > 1e-6 && Math.min(bottom ?? 0, y2) - Math.max(top ?? 0, y) > 1e-6
  )
}

const longest: Record<string, Partial<PageContent>> = {
  title: { title: 'Wochenkarte und Getränke '.repeat(8).trim() },
  text: { text: 'Bitte scannen Sie diesen Code mit Ihrem Telefon. '.repeat(10).trim() },
  address: { address: `${'w'.repeat(60)}.example/${'x'.repeat(64)}` },
}

/** The size of the smallest text of a page, or the problem why there is none. */
function smallestOf(draw: () => PrintPage): number | Problem {
  try {
    return Math.min(...partsOf(draw()).map((part) => (part.kind === 'text' ? part.size : Infinity)))
  } catch (error) {
    assert.ok(error instanceof Problem)
    return error
  }
}

test('the longest texts fit at a size that can be read, or are refused with the field', () => {
  const refused: string[] = []
  for (const { what, name, paper, draw } of cases(longest)) {
    const smallest = smallestOf(draw)
    const { title, text, address } = templates[paper]
    if (typeof smallest === 'number') {
      assert.ok(smallest >= Math.min(title[1], text[1], address[1]) - 1e-9, what)
      continue
    }
    assert.equal(smallest.code, 'text_too_long')
    assert.equal(smallest.errors[0]?.pointer, name === 'address' ? '/paper' : `/${name}`)
    refused.push(what)
  }
  assert.ok(refused.some((each) => each.startsWith('sticker')))
  assert.ok(!refused.some((each) => each.startsWith('a4')), String(refused))
})

test('a code whose modules would be too small is refused with the size that it needs', () => {
  const code = { ratio: 1, columns: 101, quiet: 0 }
  assert.throws(
    () => compose('card-85x55', 'plain', { code }),
    (error) => {
      assert.ok(error instanceof Problem)
      assert.equal(error.errors[0]?.pointer, '/paper')
      assert.match(error.message, /38 mm for the code, .* 0\.38 mm: they need 0\.4 mm, and this code 41 mm/)
      return true
    },
  )
  const drawn = partsOf(compose('a6', 'plain', { code })).find(({ kind }) => kind === 'code')
  assert.ok(drawn !== undefined && drawn.kind === 'code' && drawn.width / 101 >= LEAST_MODULE_MM)
})

test('a design without a quiet zone has one on the paper', () => {
  const code = { ratio: 1, columns: 29, quiet: 4 }
  for (const paper of papers) {
    const parts = partsOf(compose(paper, 'plain', { code, text: 'Scan me' })).slice(0, 4)
    const drawn = parts.find(({ kind }) => kind === 'code')
    assert.ok(drawn?.kind === 'code')
    const quiet = (drawn.width / 29) * 4
    for (const part of parts) {
      if (part.kind !== 'text') continue
      const [left, top, , bottom] = edgesOf(part)
      const beside = Math.max(left - (drawn.x + drawn.width), top - (drawn.y + drawn.height), drawn.y - bottom)
      assert.ok(beside >= quiet - 0.3 * part.size, `${paper}: ${beside} of ${quiet}`)
    }
  }
})

test('a tent has its code twice, once on its head, so that both faces are upright when it stands', () => {
  const { faces } = compose('tent-a4', 'classic', {})
  assert.deepEqual(
    faces.map(({ y, height, isTurned }) => [y, y + height, isTurned]),
    [
      [45, 148.5, true],
      [148.5, 252, false],
    ],
  )
  assert.deepEqual(faces[0]?.parts, faces[1]?.parts)
})

test('the logo stands above the headline where there is room, and is refused by its name where there is none', () => {
  const kinds = partsOf(compose('a5', 'plain', { logo: 1 })).map(({ kind }) => kind)
  assert.deepEqual(kinds, ['logo', 'text', 'code', 'text'])
  assert.throws(
    () =>
      compose('sticker-50', 'loud', { logo: 0.3, title: 'A title of three lines, which is long', text: 'And a text' }),
    (error) => error instanceof Problem && error.errors[0]?.pointer === '/logo',
  )
})

test('where texts are written from right to left, the code stands on their right, and all is as far from the edges', () => {
  for (const paper of ['tent-a4', 'card-85x55', 'shelf-80x40'] as const)
    for (const style of styles) {
      const [one, other] = ['Menu', 'תפריט'].map((title) => compose(paper, style, { title }).faces[0])
      assert.ok(one !== undefined && other !== undefined)
      const codeOf = ({ parts }: typeof one) => parts.find(({ kind }) => kind === 'code')
      const [left, right] = [codeOf(one), codeOf(other)]
      assert.ok(left !== undefined && right !== undefined)
      assert.ok(Math.abs(left.x - (one.width - right.x - right.width)) < 1e-6, paper)
      const texts = other.parts.flatMap((part) => (part.kind === 'text' ? [part] : []))
      assert.ok(texts.length > 1 && texts.every(({ x, width, align }) => align === 'right' && x + width < right.x))
    }
})

test('a long title is measured as a whole at most once, however many sizes are tried', (t) => {
  const title = 'a bc def '.repeat(22).trim()
  const { parsed } = fontOf(typographies.classic.headline)
  const layout = t.mock.method(parsed, 'layout')
  compose('tent-a4', 'classic', { title })
  const measured = layout.mock.calls.filter(({ arguments: [text] }) => text === title)
  assert.ok(measured.length <= 1, `${measured.length} times`)
})
