import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calibrationPage, type PrintItem } from './calibration.ts'
import { paperSizes, type Paper } from './labels.ts'

type Line = Extract<PrintItem, { kind: 'line' }>
type Text = Extract<PrintItem, { kind: 'text' }>

const papers: Paper[] = ['a4', 'letter']
const languages = ['en', 'de'] as const

const linesOf = (items: PrintItem[]) => items.filter((item): item is Line => item.kind === 'line')
const textsOf = (items: PrintItem[]) => items.filter((item): item is Text => item.kind === 'text')
const isUpright = ({ x1, x2 }: Line) => x1 === x2
const lengthOf = ({ x1, y1, x2, y2 }: Line) => Math.hypot(x2 - x1, y2 - y1)
const near = (one: number, other: number) => Math.abs(one - other) < 1e-9

for (const paper of papers) {
  const items = calibrationPage(paper, 'en')
  const { width, height } = paperSizes[paper]

  test(`a ruler of 100 mm in both directions has a tick for each mm, on ${paper}`, () => {
    const rulers = linesOf(items).filter((line) => near(lengthOf(line), 100))
    assert.deepEqual(rulers.map(isUpright), [false, true])
    for (const ruler of rulers) {
      const along = ({ x1, y1 }: Line) => (isUpright(ruler) ? y1 - ruler.y1 : x1 - ruler.x1)
      const starts = ({ x1, y1 }: Line) => (isUpright(ruler) ? near(x1, ruler.x1) : near(y1, ruler.y1))
      const crosses = (line: Line) => isUpright(line) !== isUpright(ruler) && lengthOf(line) < 10
      const ticks = linesOf(items).filter((line) => crosses(line) && starts(line))
      const places = ticks.map((tick) => Math.round(along(tick) * 1e6) / 1e6)
      assert.deepEqual(
        places,
        Array.from({ length: 101 }, (_, at) => at),
      )
      const byLength = (length: number) => ticks.filter((tick) => near(lengthOf(tick), length)).length
      assert.deepEqual([5, 3.5, 2].map(byLength), [11, 10, 80])
    }
  })

  test(`each tenth mm of both rulers has its number, on ${paper}`, () => {
    const numbers = textsOf(items).filter(({ text }) => /^\d+$/.test(text))
    const across = numbers.filter(({ anchor }) => anchor === 'middle')
    const down = numbers.filter(({ anchor }) => anchor === 'end')
    const left = (width - 100) / 2
    assert.deepEqual(
      across.map(({ x, text }) => [Math.round((x - left) * 1e6) / 1e6, text]),
      Array.from({ length: 11 }, (_, at) => [at * 10, `${at * 10}`]),
    )
    assert.deepEqual(
      down.map(({ baseline, text }) => [Math.round((baseline - (down[0]?.baseline ?? 0)) * 1e6) / 1e6, text]),
      Array.from({ length: 11 }, (_, at) => [at * 10, `${at * 10}`]),
    )
    assert.equal(textsOf(items).filter(({ text }) => text === 'mm').length, 2)
  })

  test(`four crosses lie 20 mm from two edges each, which are named beside them, on ${paper}`, () => {
    const crosses = [
      ['top 20 mm, left 20 mm', 20, 20],
      ['top 20 mm, right 20 mm', width - 20, 20],
      ['bottom 20 mm, left 20 mm', 20, height - 20],
      ['bottom 20 mm, right 20 mm', width - 20, height - 20],
    ] as const
    for (const [words, x, y] of crosses) {
      const arms = linesOf(items).filter(
        (line) => near((line.x1 + line.x2) / 2, x) && near((line.y1 + line.y2) / 2, y) && near(lengthOf(line), 10),
      )
      assert.deepEqual(arms.map(isUpright), [false, true], words)
      const beside = textsOf(items).find(({ text }) => text === words)
      assert.ok(beside !== undefined && Math.hypot(beside.x - x, beside.baseline - y) < 10, words)
    }
  })
}

/** Two corners of what an item covers. No line of text is wider than 0.6 of its size per character, in any usual font. */
function endsOf(item: PrintItem): [x: number, y: number][] {
  if (item.kind === 'line') return [item.x1, item.x2].map((x, at) => [x, at === 0 ? item.y1 : item.y2])
  const length = item.text.length * item.size * 0.6
  const start = item.x - { start: 0, middle: length / 2, end: length }[item.anchor]
  return [start, start + length].map((x, at) => [x, item.baseline - at * item.size])
}

test('everything lies on the paper, off the edges that printers leave white, in both languages', () => {
  for (const paper of papers) {
    const { width, height } = paperSizes[paper]
    const items = languages.flatMap((language) => calibrationPage(paper, language))
    for (const [x, y] of items.flatMap(endsOf))
      assert.ok(x >= 5 && y >= 5 && x <= width - 5 && y <= height - 5, `${x}, ${y} on ${paper}`)
    for (const line of linesOf(items)) assert.ok(line.width >= 0.1, 'printers draw it')
  }
})

test('both languages have the same page, in their own words', () => {
  for (const paper of papers) {
    const [english, german] = languages.map((language) => calibrationPage(paper, language))
    assert.deepEqual(
      (german ?? []).map((item) => ({ ...item, text: '' })),
      (english ?? []).map((item) => ({ ...item, text: '' })),
    )
    const words = (items: PrintItem[] = []) =>
      textsOf(items)
        .map(({ text }) => text)
        .filter((text) => !/^(?:\d+|mm)$/.test(text))
    const known = new Set(words(english))
    assert.deepEqual(
      words(german).filter((text) => known.has(text)),
      [],
    )
  }
  assert.ok(textsOf(calibrationPage('letter', 'de')).some(({ text }) => text === 'Kalibrierseite für US Letter'))
})
