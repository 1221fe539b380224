import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { drawLetters, readFonts, readRoboto } from '../build/letters.ts'
import { readFont } from '../src/qr/design/font.ts'
import type { Path } from '../src/qr/design/path.ts'
import { fontFile } from '../src/qr/font-file.ts'

const file = readFileSync(fontFile, 'utf8')
const font = readFont(file)
const roboto = readRoboto()

test('the outlines in the sources are those of the installed font', () => {
  assert.equal(drawLetters(), file, '"npm run letters" writes them again')
})

test('the fonts of printed pages are those of the installed package', () => {
  for (const [name, content] of readFonts())
    assert.ok(content.equals(readFileSync(new URL(`../src/qr/print/fonts/${name}`, import.meta.url))), name)
})

test('a text has the width and the bounding box that the font gives, also with dashes and accents', () => {
  for (const text of ['Scan me', '0123', 'ÀÉÎõü', 'Привет', 'Καλημέρα', 'a–b—c', '≤ ≥', '“½€”']) {
    const path: Path = []
    font.draw(path, text, { x: 0, y: 0, height: 1000 })
    const letters = Array.from(text, (letter) => roboto.charToGlyph(letter))
    const width = letters.reduce((sum, { advanceWidth }) => sum + advanceWidth, 0)
    assert.equal(font.width(text) * roboto.unitsPerEm, width, text)
    const expected = roboto.getPath(text, 0, 0, 1000, { kerning: false, features: {} }).getBoundingBox()
    const drawn = boxOf(path)
    for (const [at, side] of [expected.x1, expected.y1, expected.x2, expected.y2].entries())
      assert.ok(Math.abs(side - (drawn[at] ?? Number.NaN)) < 0.1, `${text}: ${String(drawn)}`)
  }
})

test('a letter that the font lacks is reported, and has no width', () => {
  assert.deepEqual(font.missing('a漢b\u{1F600}'), ['漢', '\u{1F600}'])
  assert.deepEqual(font.missing('Grüße, мир'), [])
  assert.equal(font.width('漢'), 0)
})

/** The smallest and largest coordinates of the points on a path; Roboto's curves have points at their extremes. */
function boxOf(path: Path): number[] {
  const [xs, ys]: [number[], number[]] = [[], []]
  const operands = [2, 2, 6, 0]
  for (let at = 0; at < path.length;) {
    const end = at + 1 + (operands[path[at] ?? 0] ?? 0)
    if (end > at + 1) {
      xs.push(path[end - 2] ?? 0)
      ys.push(path[end - 1] ?? 0)
    }
    at = end
  }
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}
