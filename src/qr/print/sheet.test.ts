import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REASON } from '../../http/problem.ts'
import { labelFormats, paperSizes, readLabels, type LabelFormat } from './labels.ts'
import { outlineOf, pageCount, placeOf, placesOf, readSheet, safeAreaOf, type Area, type Sheet } from './sheet.ts'

function formatOf(labels: string): LabelFormat {
  const read = readLabels(labels)
  assert.ok('columns' in read, labels)
  return read
}

function sheetOf(labels: string, start?: number, offset?: [number, number]): Sheet {
  const read = readSheet(formatOf(labels), start, offset)
  assert.ok('format' in read, labels)
  return read
}

/** To a thousandth of a mm, without what binary fractions add. */
const rounded = (millimetres: number) => Math.round(millimetres * 1000) / 1000

const positionsOf = (sheet: Sheet, labels: number) =>
  placesOf(sheet, labels).map(({ page, x, y }) => [page, rounded(x), rounded(y)])

test('labels are filled row by row from the upper left corner', () => {
  assert.deepEqual(positionsOf(sheetOf('avery-l7160'), 4), [
    [0, 7.2, 15.15],
    [0, 73.24, 15.15],
    [0, 139.28, 15.15],
    [0, 7.2, 53.25],
  ])
  assert.deepEqual(positionsOf(sheetOf('avery-l7160'), 21).at(-1), [0, 139.28, 243.75])
})

test('a full page is followed by the first label of the next', () => {
  const sheet = sheetOf('avery-l7160')
  assert.deepEqual(positionsOf(sheet, 22).at(-1), [1, 7.2, 15.15])
  assert.deepEqual(
    [0, 1, 21, 22, 42, 43].map((labels) => pageCount(sheet, labels)),
    [0, 1, 1, 2, 2, 3],
  )
})

test('the labels before start are left out on the first page only', () => {
  const sheet = sheetOf('avery-l7160', 20)
  assert.deepEqual(positionsOf(sheet, 3), [
    [0, 73.24, 243.75],
    [0, 139.28, 243.75],
    [1, 7.2, 15.15],
  ])
  assert.deepEqual(
    [0, 1, 2, 3, 23, 24].map((labels) => pageCount(sheet, labels)),
    [0, 1, 1, 2, 2, 3],
  )
})

test('each number of labels needs the pages that its labels are on, wherever it starts', () => {
  const format = formatOf('herma-4478')
  for (let start = 1; start <= 6; start++) {
    const sheet = sheetOf('herma-4478', start)
    for (let labels = 1; labels <= 20; labels++) {
      const places = placesOf(sheet, labels)
      assert.equal(places.length, labels)
      assert.equal(places.at(-1)?.page, pageCount(sheet, labels) - 1)
      const taken = new Set(places.map(({ page, x, y }) => `${page} ${x} ${y}`))
      assert.equal(taken.size, labels, 'no place is taken twice')
    }
    const column = (start - 1) % format.columns
    assert.equal(placeOf(sheet, 0).x, format.left + column * format.pitchX)
  }
})

test('the offset moves every label to the right and down', () => {
  const [plain, moved] = [sheetOf('avery-5160', 3), sheetOf('avery-5160', 3, [-1.5, 10])]
  placesOf(moved, 40).forEach((place, label) => {
    const before = placeOf(plain, label)
    assert.deepEqual(
      [place.page, rounded(place.x), rounded(place.y)],
      [before.page, rounded(before.x - 1.5), rounded(before.y + 10)],
    )
  })
})

test('a start or an offset out of bounds is refused with the bound', () => {
  const format = formatOf('avery-l7160')
  const start = {
    pointer: '/start',
    detail: 'must be a whole number from 1 to 21, the labels on a sheet of avery-l7160',
    [REASON]: { name: 'label', limit: 21 },
  }
  for (const wrong of [0, -1, 22, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
    assert.deepEqual(readSheet(format, wrong), start)
  const offset = {
    pointer: '/offset',
    detail: 'must be two numbers from -10 to 10 (mm)',
    [REASON]: { name: 'offset', limit: 10 },
  }
  for (const wrong of [10.01, -10.01, Number.NaN, Number.NEGATIVE_INFINITY]) {
    assert.deepEqual(readSheet(format, 1, [wrong, 0]), offset)
    assert.deepEqual(readSheet(format, 1, [0, wrong]), offset)
  }
  assert.ok('format' in readSheet(format, 21, [10, -10]))
})

test('the outline is the edge of the label: a rectangle with its corners, or a circle', () => {
  assert.deepEqual(outlineOf(formatOf('avery-l7160')), { kind: 'rectangle', width: 63.5, height: 38.1, radius: 1.76 })
  assert.deepEqual(outlineOf(formatOf('herma-4476')), { kind: 'circle', x: 20, y: 20, radius: 20 })
})

/** How far inside the edge of a label the given point lies, in mm; below 0 outside. */
function insideBy(format: LabelFormat, x: number, y: number): number {
  const outline = outlineOf(format)
  if (outline.kind === 'circle') return outline.radius - Math.hypot(x - outline.x, y - outline.y)
  const { width, height, radius } = outline
  const [fromX, fromY] = [Math.min(x, width - x), Math.min(y, height - y)]
  if (fromX >= radius || fromY >= radius) return Math.min(fromX, fromY)
  return radius - Math.hypot(radius - fromX, radius - fromY)
}

const cornersOf = ({ x, y, width, height }: Area) =>
  [x, x + width].flatMap((left) => [y, y + height].map((top) => [left, top] as const))

test('the safe area stays off the edge of the label by 2 mm, or by a tenth of a small one, and off round corners too', () => {
  for (const format of Object.values(labelFormats)) {
    const drift = Math.min(2, format.width / 10, format.height / 10)
    const safe = safeAreaOf(format)
    assert.ok(safe.width > 0 && safe.height > 0, format.id)
    for (const [x, y] of cornersOf(safe)) {
      assert.ok(insideBy(format, x, y) >= drift - 1e-9, `${format.id}: ${insideBy(format, x, y)} mm`)
    }
  }
  assert.deepEqual(safeAreaOf(formatOf('avery-l7160')), { x: 2, y: 2, width: 59.5, height: 34.1 })
  assert.deepEqual(safeAreaOf(formatOf('avery-l4731')), { x: 1, y: 1, width: 23.4, height: 8 })
})

test('the safe area of a round label is the largest square inside', () => {
  const { x, y, width, height } = safeAreaOf(formatOf('herma-4476'))
  assert.deepEqual([x, y, width, height].map(rounded), [7.272, 7.272, 25.456, 25.456])
})

test('no safe area reaches the part of the paper that printers leave white', () => {
  for (const format of [...Object.values(labelFormats), formatOf('210x297'), formatOf('10x10')]) {
    const paper = paperSizes[format.paper]
    const sheet = readSheet(format)
    assert.ok('format' in sheet)
    const safe = safeAreaOf(format)
    for (const { x, y } of placesOf(sheet, format.columns * format.rows)) {
      const [left, top] = [x + safe.x, y + safe.y]
      const [right, bottom] = [paper.width - left - safe.width, paper.height - top - safe.height]
      assert.ok(Math.min(left, top, right, bottom) >= 4.23, `${format.id}: ${[left, top, right, bottom].join(', ')}`)
    }
  }
})
