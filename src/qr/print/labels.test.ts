import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REASON } from '../../http/problem.ts'
import { fc } from '../../../test/support/fast-check.ts'
import { countOf, labelFormats, paperSizes, readLabels, type LabelFormat, type Paper } from './labels.ts'

const formats = Object.values(labelFormats)

/** In mm: half the last digit of published measures, for each column or row that a sum of them has. */
const ROUNDING = 0.005

function formatOf(labels: string, paper?: Paper): LabelFormat {
  const read = readLabels(labels, paper)
  assert.ok('columns' in read, `${labels}: ${JSON.stringify(read)}`)
  return read
}

/** White on the right of the last column and below the last row, in mm. */
function marginsAfter(format: LabelFormat): [right: number, bottom: number] {
  const paper = paperSizes[format.paper]
  const right = paper.width - format.left - (format.columns - 1) * format.pitchX - format.width
  return [right, paper.height - format.top - (format.rows - 1) * format.pitchY - format.height]
}

test('every named format lies on its paper, and its labels do not overlap', () => {
  assert.ok(formats.length >= 25)
  for (const format of formats) {
    const [right, bottom] = marginsAfter(format)
    const { id, left, top, pitchX, pitchY, width, height, columns, rows } = format
    assert.ok(left >= 0 && top >= 0, id)
    assert.ok(right >= -ROUNDING * columns && bottom >= -ROUNDING * rows, `${id}: ${right}, ${bottom} mm are left`)
    assert.ok(columns === 1 || pitchX >= width, id)
    assert.ok(rows === 1 || pitchY >= height, id)
  }
})

test('every named format is the same upside down, as sheets are, which a wrong measure would not be', () => {
  for (const format of formats) {
    const [right, bottom] = marginsAfter(format)
    assert.ok(Math.abs(format.left - right) < 0.1, `${format.id}: ${format.left} mm on the left, ${right} on the right`)
    assert.ok(Math.abs(format.top - bottom) < 0.1, `${format.id}: ${format.top} mm above, ${bottom} below`)
  }
})

test('a round label is as wide as high, and corners are no rounder than half a label', () => {
  for (const { id, isRound, width, height, radius } of formats) {
    if (isRound) assert.equal(width, height, id)
    assert.ok(radius >= 0 && radius <= Math.min(width, height) / 2, id)
  }
})

test('formats have the measures that are published, to 0.1 mm', () => {
  // Columns, rows, width, height, left, top, distance across, distance down.
  const published = {
    'avery-l7160': [3, 7, 63.5, 38.1, 7.2, 15.15, 66.04, 38.1],
    'avery-l7159': [3, 8, 64, 33.9, 6.46, 13.06, 66.54, 33.9],
    'avery-l7163': [2, 7, 99.1, 38.1, 4.67, 15.15, 101.6, 38.1],
    'avery-l7651': [5, 13, 38.1, 21.2, 4.67, 10.9, 40.6, 21.2],
    'avery-l7173': [2, 5, 99.1, 57, 4.67, 6, 101.6, 57],
    'avery-l4731': [7, 27, 25.4, 10, 8.48, 13.5, 27.94, 10],
    'herma-4226': [4, 16, 48.3, 16.9, 8.48, 13.06, 48.3, 16.9],
    'herma-4360': [3, 8, 70, 36, 0, 4.5, 70, 36],
    'herma-4474': [4, 10, 48.5, 25.4, 8, 21.5, 48.5, 25.4],
    'herma-4476': [4, 6, 40, 40, 16, 13.5, 46, 46],
    'avery-5160': [3, 10, 66.675, 25.4, 4.7625, 12.7, 69.85, 25.4],
    'avery-5163': [2, 5, 101.6, 50.8, 3.96875, 12.7, 106.3625, 50.8],
    'avery-5167': [4, 20, 44.45, 12.7, 7.14375, 12.7, 52.3875, 12.7],
    'avery-8293': [4, 5, 38.1, 38.1, 12.7, 19.05, 50.8, 50.8],
  }
  for (const [id, expected] of Object.entries(published)) {
    const { columns, rows, width, height, left, top, pitchX, pitchY } = formatOf(id)
    const actual = [columns, rows, width, height, left, top, pitchX, pitchY]
    actual.forEach((measure, at) => {
      assert.ok(
        Math.abs(measure - (expected[at] ?? Number.NaN)) <= 0.1,
        `${id}: ${actual.join(', ')} is not ${expected.join(', ')}`,
      )
    })
  }
})

test('inches of Letter formats are exact: ten rows of 5160 end half an inch above the lower edge', () => {
  const format = formatOf('avery-5160')
  assert.equal(format.width, 66.675)
  assert.ok(Math.abs(marginsAfter(format)[1] - 12.7) < 1e-9)
})

test('formats have ids for requests and names for people, and are listed from many labels to few on each paper', () => {
  for (const [id, format] of Object.entries(labelFormats)) {
    assert.equal(format.id, id)
    assert.match(id, /^(?:avery|herma)-l?\d{4}$/)
    assert.equal(format.name.toLowerCase(), id.replace('-', ' '))
  }
  assert.equal(formatOf('avery-l7160').name, 'Avery L7160')
  for (const paper of ['a4', 'letter']) {
    const counts = formats.filter((format) => format.paper === paper).map(countOf)
    assert.deepEqual(
      counts,
      counts.toSorted((one, other) => other - one),
    )
  }
  const papers = formats.map(({ paper }) => paper)
  assert.ok(papers.lastIndexOf('a4') < papers.indexOf('letter'))
})

test('a named format has its own paper, and is refused on another one', () => {
  assert.equal(formatOf('avery-5160').paper, 'letter')
  assert.equal(formatOf('avery-5160', 'letter').paper, 'letter')
  assert.deepEqual(readLabels('avery-5160', 'a4'), {
    pointer: '/paper',
    detail: 'must be letter or left out for avery-5160, which is a sheet of that size',
  })
})

test('free measures fill the paper with as many labels as it has room for, in its middle', () => {
  const format = formatOf('50x30+2x4')
  assert.deepEqual(format, {
    id: '50x30+2x4',
    name: '50 × 30 mm',
    paper: 'a4',
    columns: 4,
    rows: 8,
    width: 50,
    height: 30,
    left: 2,
    top: 14.5,
    pitchX: 52,
    pitchY: 34,
    radius: 0,
    isRound: false,
  })
  assert.equal(formatOf('50x30+2').pitchY, 32)
  assert.equal(formatOf('50x30').pitchY, 30)
  assert.equal(formatOf('50.8x50.8+15.875x15.24', 'letter').left, 15.875)
  assert.equal(formatOf('50.8x50.8+15.875x15.24', 'letter').top, 15.24)
})

test('free measures that divide the paper evenly use all of it', () => {
  assert.equal(countOf(formatOf('52.5x29.7')), 40)
  assert.equal(countOf(formatOf('70x37.125')), 24)
  assert.equal(countOf(formatOf('210x297')), 1)
  assert.equal(countOf(formatOf('215.9x279.4', 'letter')), 1)
})

test('any free measures within the bounds are a format that lies on its paper and has no room for another label', () => {
  const measure = (min: number, max: number) => fc.integer({ min: min * 1000, max: max * 1000 }).map((um) => um / 1000)
  fc.assert(
    fc.property(
      measure(10, 210),
      measure(10, 279),
      measure(0, 50),
      measure(0, 50),
      fc.constantFrom<Paper>('a4', 'letter'),
      (width, height, gapX, gapY, paper) => {
        const format = formatOf(`${width}x${height}+${gapX}x${gapY}`, paper)
        const [right, bottom] = marginsAfter(format)
        assert.ok(format.left >= 0 && format.top >= 0)
        assert.ok(Math.abs(format.left - right) < 1e-6 && Math.abs(format.top - bottom) < 1e-6)
        assert.ok(format.left + right < format.pitchX && format.top + bottom < format.pitchY)
      },
    ),
  )
})

test('measures out of bounds are refused with the bound', () => {
  const detailOf = (labels: string, paper?: Paper) => {
    const read = readLabels(labels, paper)
    assert.ok('pointer' in read, labels)
    assert.equal(read.pointer, '/labels')
    return read.detail
  }
  for (const labels of ['9.999x30', '30x9.999', '0x0', '0x0+0'])
    assert.equal(detailOf(labels), 'must be at least 10 mm wide and 10 mm high')
  assert.equal(detailOf('210.001x30'), 'must be at most 210 mm wide and 297 mm high, the size of a4')
  assert.equal(detailOf('30x297.001'), 'must be at most 210 mm wide and 297 mm high, the size of a4')
  assert.equal(detailOf('30x280', 'letter'), 'must be at most 215.9 mm wide and 279.4 mm high, the size of letter')
  assert.equal(detailOf('30x30+50.001'), 'must have gaps of at most 50 mm')
  assert.equal(detailOf('30x30+0x50.001'), 'must have gaps of at most 50 mm')
})

test('what is neither a name nor measures is refused with an example of both, and with the name that was meant', () => {
  const detail = 'must be a sheet such as avery-l7160, or measures in mm such as 63.5x38.1+2.5'
  const reason = { name: 'measures', limit: 10 }
  const wrong = [
    '',
    'x',
    '50',
    '50x',
    '50x30+',
    '50x30+2x',
    '-50x30',
    '5e1x30',
    '50x30x2',
    ' 50x30',
    '50,5x30',
    '٥٠x30',
  ]
  for (const labels of [...wrong, '1000x30', '50x30.1234', 'NaNxNaN', 'constructor', '__proto__', '9'.repeat(100_000)])
    assert.deepEqual(readLabels(labels), { pointer: '/labels', detail, [REASON]: reason }, labels.slice(0, 40))
  assert.deepEqual(readLabels('Avery L7160'.replace(' ', '-')), {
    pointer: '/labels',
    detail: `${detail} (did you mean avery-l7160?)`,
    [REASON]: reason,
  })
})
