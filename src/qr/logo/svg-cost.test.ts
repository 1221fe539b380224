import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { rasterizer } from '../../../test/support/rasterizer.ts'
import { sanitizeSvg } from './svg.ts'

const svg = (inner: string, attributes = 'viewBox="0 0 8 8"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inner}</svg>`

const rect = (attributes: string) => `<rect width="8" height="8" ${attributes}/>`

const clean = (text: string) => sanitizeSvg(text).markup

/** The colours of a drawing in its upper left corner, its middle and its lower right corner. */
function colorsOf(text: string): string[] {
  const { rgba, width } = rasterizer.pixels(
    `<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32"><svg width="32" height="32" ${clean(text)}</svg>`,
  )
  return [1, 16, 30].map((at) => {
    const [red, green, blue, opacity] = rgba.subarray((at * width + at) * 4)
    return opacity === 0 ? 'none' : [red, green, blue].map((each) => (each ?? 0) >> 7).join('')
  })
}

const RED = '100'
const middle = (text: string) => colorsOf(text)[1]

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, at) => part(at)).join('')

const curves = (count: number) => times(count, (at) => `C${at % 8} 8 ${at % 5} 0 ${at % 7} 4`)

/** Elements in one another, as often as said. */
const nest = (opening: string, count: number, inner: string) =>
  opening.repeat(count) + inner + '</g>'.repeat(count * opening.split('<g').length - count)

/** Shapes of lines from one edge of a square to the other and back. */
const back = (shapes: number, lines: number, side = 8) =>
  times(shapes, () => `<path d="M0 0${times(lines, (at) => `L${(at * side) / lines} ${(at % 2) * side}`)}z"/>`)

const stops = (count: number) => times(count, () => '<stop offset=".5" stop-color="red"/>')

const box = '<rect width="8" height="8"/>'

describe('the cost of an SVG logo is bounded:', () => {
  const bombs: [name: string, text: string, word: RegExp][] = [
    ['curves', svg(`<path d="M0 0${curves(12_000)}"/>`), /12,001 lines and curves.*at most 12000/],
    ['stroked curves', svg(`<g stroke="red"><path d="M0 0${curves(3100)}"/></g>`), /lines and curves/],
    ['a wide stroke', svg('<path stroke="red" stroke-width="1000" d="M0 0L8 8"/>'), /exceeds its viewBox/],
    ['a far shape', svg('<rect x="-100" y="-100" width="300" height="300"/>'), /exceeds its viewBox/],
    ['a shape that a group enlarges', svg(`<g transform="scale(100)">${box}</g>`), /exceeds its viewBox/],
    ['arcs of wide radius', svg('<path d="M0 0A1 1e6 0 1 1 7 8"/>'), /exceeds its viewBox/],
    ['tiny dashes', svg('<path stroke="red" stroke-dasharray=".00001" d="M0 4h8"/>'), /lines and curves/],
    ['shapes', svg(times(110, () => box)), /paints over itself 110 times/],
    [
      'gradients',
      svg(`<radialGradient id="g">${stops(9)}</radialGradient>${times(20, () => rect('fill="url(#g)"'))}`),
      /120 times/,
    ],
    ['stops', svg(`<radialGradient id="g">${stops(1000)}</radialGradient>`), /more than 100 stops/],
    ['opacities beside each other', svg(times(40, () => rect('opacity=".5"'))), /paints over itself/],
    ['nested opacities', svg('<g opacity=".9">'.repeat(9) + box + '</g>'.repeat(9)), /at most 8/],
    [
      'nested opacities around a shape that is larger than the picture',
      svg('<g opacity=".95">'.repeat(5) + '<rect x="-7" y="-7" width="22" height="22"/>' + '</g>'.repeat(5)),
      /of 38 times: at most 10/,
    ],
    [
      'nested opacities around rotations that cancel each other out',
      svg(nest('<g opacity=".9">', 2, nest('<g transform="rotate(45 4 4)"><g transform="rotate(-45 4 4)">', 2, box))),
      /of 32 times: at most 10/,
    ],
    [
      'translucent groups beside each other around such rotations',
      svg(
        times(6, () =>
          nest('<g opacity=".9">', 1, nest('<g transform="rotate(45 4 4)"><g transform="rotate(-45 4 4)">', 1, box)),
        ),
      ),
      /paints over itself 54 times/,
    ],
    [
      'nested opacities around rotations in one direction',
      svg(nest('<g opacity=".9">', 3, nest('<g transform="rotate(10 4 4)">', 8, box))),
      /at most 10 times its viewBox/,
    ],
    [
      'quadratic curves that go on from the end of a cubic one, and not in its direction',
      svg(nest('<g opacity=".9">', 5, '<path d="M4 4C1 1 1 1 4 4T7 7T4 4T7 7"/>')),
      /of 11 times: at most 10/,
    ],
    [
      'nested clip paths',
      svg(`<clipPath id="c">${box}</clipPath>${'<g clip-path="url(#c)">'.repeat(6)}${box}${'</g>'.repeat(6)}`),
      /of 12 times: at most 10 times its viewBox \(a clip path counts 2\)/,
    ],
    [
      'a clip path of many shapes',
      svg(`<clipPath id="c">${times(50, () => box)}</clipPath>${times(2, () => `<g clip-path="url(#c)">${box}</g>`)}`),
      /paints over itself/,
    ],
    ['lines back and forth', svg(back(7, 1000)), /as long as 7\d{3} of its sides/],
    ['stroked lines back and forth', svg(`<g stroke="red">${back(3, 900)}</g>`), /as long as 8\d{3} of its sides/],
    [
      'such lines with a gradient, which count six times',
      svg(`<linearGradient id="g"><stop/></linearGradient><g fill="url(#g)">${back(1, 1100)}</g>`),
      /as long as 6\d{3} of its sides together \(those of a gradient count 6\)/,
    ],
    [
      'such lines that a group enlarges',
      svg(`<g transform="scale(8)">${back(7, 1000, 1)}</g>`),
      /as long as 7\d{3} of its sides/,
    ],
    [
      'such lines in a clip path of parts of a box',
      svg(
        `<clipPath id="c" clipPathUnits="objectBoundingBox">${back(7, 1000, 1)}</clipPath><g clip-path="url(#c)">${box}</g>`,
      ),
      /as long as 7\d{3} of its sides/,
    ],
    [
      'such lines in a clip path that is small where it stands',
      svg(
        `<g transform="scale(.01)"><clipPath id="c">${back(7, 1000)}</clipPath></g><g clip-path="url(#c)">${box}</g>`,
      ),
      /as long as 7\d{3} of its sides/,
    ],
    [
      'such lines in a clip path that is enlarged where it is used',
      svg(
        `<clipPath id="c">${back(7, 1000, 1)}</clipPath><g transform="scale(8)" clip-path="url(#c)"><rect width="1" height="1"/></g>`,
      ),
      /as long as 7\d{3} of its sides/,
    ],
    [
      'shapes in a layer that is larger than the picture',
      svg(`<g opacity=".9">${times(4, () => '<rect x="-7" y="-7" width="22" height="22"/>')}</g>`),
      /paints over itself 45 times/,
    ],
    [
      'the shapes of a clip path for a layer that is larger than the picture',
      svg(
        `<clipPath id="c">${times(9, () => box)}</clipPath><g clip-path="url(#c)"><rect x="-4" y="-4" width="16" height="16"/></g>`,
      ),
      /paints over itself 48 times/,
    ],
    ['attributes', svg(`<g ${times(201, (at) => `a${at}="" `)}/>`), /more than 200 attributes on <g>/],
    ['an attribute', svg(rect(`class="${'a'.repeat(4097)}"`)), /class of more than 4,096 characters/],
    ['elements', svg('<g/>'.repeat(5000)), /more than 5000 elements/],
    ['nested elements', svg('<g>'.repeat(40) + '</g>'.repeat(40)), /nested more than 40 deep/],
    ['dashes', svg(`<path stroke="red" stroke-dasharray="${'8 '.repeat(101)}" d="M0 4h8"/>`), /more than 100 lengths/],
    ['quotes, which are longer when escaped', svg(rect(`x='${'"'.repeat(4000)}'`)), /x=.*not understood/],
  ]
  for (const [name, text, word] of bombs) test(name, () => assert.throws(() => clean(text), word))

  test('a drawing of a thousand small shapes, thousands of curves and some opacities is drawn', () => {
    const small = times(1000, (at) => `<circle cx="${at % 8}" cy="${(at / 8) % 8}" r=".2" opacity=".9"/>`)
    const detailed = `<path d="M0 0${curves(4000)}z"/>`
    assert.equal(middle(svg(small + detailed + rect('fill="red" opacity=".99"'))), RED)
  })

  test('eight opacities in one another, and a translucent shape as large as the viewBox around the picture allows, are drawn', () => {
    assert.equal(middle(svg('<g opacity=".99">'.repeat(8) + rect('fill="red"') + '</g>'.repeat(8))), RED)
    assert.equal(middle(svg('<rect x="-8" y="-8" width="24" height="24" fill="red" opacity=".99"/>')), RED)
  })

  test('unclosed comments are read in linear time', () => {
    assert.match(clean(svg(rect(`style="${'/* '.repeat(1300)}"`))), /<rect/)
  })
})
