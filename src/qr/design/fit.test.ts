import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { anyCharacter, fc } from '../../../test/support/fast-check.ts'
import { readFont } from './font.ts'
import { fontFile } from '../font-file.ts'
import { composePicture } from '../picture/picture.ts'
import { drawable, fit } from './fit.ts'

const font = readFont(readFileSync(fontFile, 'utf8'))
const bounds = { width: 1000, lines: 3, heights: [88, 72, 60] } as const

test('characters that the font lacks are left out, and a text in a script that it lacks altogether', () => {
  assert.equal(drawable(font, ' ☕ Cafe\u0301\nLuna 🌙 '), 'Café Luna')
  assert.equal(drawable(font, 'Ζαχαροπλαστείο — Кафе'), 'Ζαχαροπλαστείο — Кафе')
  for (const text of ['مقهى النيل', '喫茶店', 'ร้านกาแฟ', '☕☕', '', 'مقهى Nile'])
    assert.equal(drawable(font, text), '')
})

test('a short text is one large line, a long one has smaller lines, and the rest of a very long one is "…"', () => {
  assert.deepEqual(fit(font, 'Bakery', bounds), { lines: ['Bakery'], height: 88 })
  assert.equal(fit(font, 'word '.repeat(14).trim(), bounds).height, 72)
  const cut = fit(font, 'word '.repeat(200).trim(), bounds)
  assert.deepEqual([cut.lines.length, cut.height], [3, 60])
  assert.match(cut.lines[2] ?? '', /word…$/)
})

test('no line is wider than the picture, whatever the text, and none is lost before the last', () => {
  const text = fc.array(fc.string({ maxLength: 90 }), { maxLength: 12 }).map((words) => words.join(' '))
  fc.assert(
    fc.property(text, (text) => {
      const drawn = drawable(font, text)
      const { lines, height } = fit(font, drawn, bounds)
      assert.ok(lines.length <= 3)
      for (const line of lines) assert.ok(font.width(line) * height <= bounds.width + 1e-6, line)
      if (!lines.at(-1)?.endsWith('…')) assert.equal(lines.join('').replaceAll(' ', ''), drawn.replaceAll(' ', ''))
    }),
  )
})

test('a picture is SVG of paths alone, whatever its texts are', () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 200 })
  fc.assert(
    fc.property(text, text, text, (title, text, initials) => {
      const svg = composePicture(
        { title, text, initials, address: 'q.example/x', fill: [1, 2, 3, 255], onFill: [255, 255, 255, 255] },
        font,
      )
      assert.match(svg, /^<svg [^<>]*>(?:<path fill="#[0-9a-f]{6}" fill-rule="\w+" d="[MLCazh0-9 .,-]*"\/>)+<\/svg>$/i)
    }),
    { numRuns: 15 },
  )
})
