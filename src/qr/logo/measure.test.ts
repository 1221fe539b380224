import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Resvg } from '@resvg/resvg-wasm'
import '../../../test/support/rasterizer.ts'
import { sanitizeSvg } from './svg.ts'
import { randomFrom } from '../../../test/support/random.ts'

const SIDE = 100
const svg = (inner: string, attributes = `viewBox="0 0 ${SIDE} ${SIDE}"`) =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inner}</svg>`

const clean = (inner: string, attributes?: string) => sanitizeSvg(svg(inner, attributes)).markup

/** The markup of a shape that is drawn alone. */
const written = (inner: string, attributes?: string) =>
  /<g>(.*)<\/g>/.exec(clean(inner, attributes))?.[1]?.replace(/\/>$/, '') ?? ''

/**
 * What the renderer draws, with strokes; undefined when it draws nothing. A stroke that is scaled unevenly is taken as evenly
 * scaled, by the mean: one drawing of 300,000 is found to be larger by that than it is drawn.
 */
function drawnBox(markup: string): [left: number, top: number, right: number, bottom: number] | undefined {
  const tree = new Resvg(`<svg xmlns="http://www.w3.org/2000/svg" ${markup}`)
  const box = tree.getBBox()
  const found = box && ([box.x, box.y, box.x + box.width, box.y + box.height] as const)
  box?.free()
  tree.free()
  return found && [...found]
}

const square = 'd="M20 20h20v20h-20z"'

describe('a logo with a number that a renderer may read otherwise is refused, with the attribute:', () => {
  const refusals: [name: string, inner: string, word: RegExp][] = [
    ...[
      '1000ex',
      '1em',
      '1rem',
      '1vw',
      '1ch',
      '0x10',
      '1e',
      '',
      '.',
      'Infinity',
      '5 5',
      '-1',
      '1e99',
      '1,',
      'calc',
    ].map((width): [string, string, RegExp] => [
      `the stroke-width ${width}`,
      `<g stroke="red" stroke-width="${width}"><path ${square}/></g>`,
      /stroke-width=.*not understood/,
    ]),
    ['a position in ex', '<rect x="500ex" width="5" height="5"/>', /x="500ex", which is not understood/],
    ['a radius in ex', '<circle cx="50" cy="50" r="600ex"/>', /r="600ex", which is not understood/],
    ['a width in the ex of a style', '<rect style="width:9ex" height="5"/>', /width="9ex", which is not understood/],
    ['a negative radius, instead of which renderers take the other one', '<ellipse rx="-1" ry="9"/>', /rx="-1"/],
    ['a negative width', '<rect width="-1" height="9"/>', /width="-1"/],
    ['dashes in ex', `<path ${square} stroke="red" stroke-dasharray=".003ex"/>`, /stroke-dasharray/],
    ['dashes between two commas', `<path ${square} stroke="red" stroke-dasharray="3,,3"/>`, /stroke-dasharray/],
    ['a negative dash', `<path ${square} stroke="red" stroke-dasharray="3 -2"/>`, /stroke-dasharray/],
    ['a miter limit in ex', `<path ${square} stroke="red" stroke-miterlimit="9ex"/>`, /stroke-miterlimit/],
    ['an opacity in px', `<path ${square} opacity="1px"/>`, /opacity="1px", which is not understood/],
    ['an opacity that is inherited', `<path ${square} opacity="inherit"/>`, /opacity/],
    ['an offset in px', '<linearGradient id="a"><stop offset="1px"/></linearGradient>', /offset/],
    ['a gradient in em', '<linearGradient id="a" x1="1em"/>', /x1="1em"/],
    ['an odd number of coordinates', '<polygon points="1 1 2 2 3"/>', /points/],
    ['a path between points', '<polygon points="1 1 2 2M3 3"/>', /points/],
    ['a path with hexadecimal digits', '<path d="M0 0L0x10 0"/>', /damaged/],
    ['a path with two commas', '<path d="M0 0L1,,1"/>', /damaged/],
    ...[
      'translate(-3500,,-3500)',
      'translate(1 2 3)',
      'matrix(1 0 0 1 2 3 4)',
      'matrix(1 0 0 1 2)',
      'translate(0xdac 0)',
      'translate()',
      'scale(1e999)',
      'scale(Infinity)',
      'scale(1 1 1)',
      'rotate(1 2)',
      'translate(1px)',
      'translate(1,)',
      'TRANSLATE(1)',
      'translate(1) none',
      'translate(1),',
      ',translate(1)',
    ].map((transform): [string, string, RegExp] => [
      `the transform ${transform}`,
      `<path ${square} transform="${transform}"/>`,
      /transform/,
    ]),
    ['a gradient that is moved so', '<linearGradient id="a" gradientTransform="scale(1 1 1)"/>', /transform/],
    [
      'coordinates that cancel each other out',
      `<g transform="scale(1000)"><g transform="translate(-33554433)"><path ${square} transform="translate(33554433)scale(.001)"/></g></g>`,
      /more than 1000 times its viewBox/,
    ],
    [
      'a clip path that is clipped',
      `<clipPath id="a" clip-path="url(#b)"><path ${square}/></clipPath><clipPath id="b"><path ${square}/></clipPath>`,
      /must not clip its clip paths/,
    ],
  ]
  for (const [name, inner, word] of refusals) test(name, () => assert.throws(() => clean(inner), word))

  test('a viewBox, or a size without one', () => {
    for (const viewBox of ['0 0 0x64 100', '0 0 100', '0 0 100 100 100', '0,,0 100 100', '0 0 1ex 100']) {
      assert.throws(() => clean('', `viewBox="${viewBox}"`), /viewBox/, viewBox)
    }
    assert.throws(() => clean('', 'width="10ex" height="10ex"'), /viewBox/)
  })
})

describe('a logo is written with the numbers that were measured, without units:', () => {
  const tall = 'viewBox="0 0 10 100"'
  const cases: [inner: string, expected: string, attributes?: string][] = [
    ['<rect x="1in" y="3pt" width="1PX" height="2.54cm"/>', '<rect x="96" y="4" width="1" height="96"'],
    [
      '<rect x="1pc" y="+.5e1" width="1e-1" height="4Q"/>',
      `<rect x="16" y="5" width=".1" height="${4 * (96 / 101.6)}"`,
    ],
    ['<rect x="10%" y="10%" width="50%" height="50%"/>', '<rect x="1" y="10" width="5" height="50"', tall],
    [
      '<circle cx="50%" cy="50%" r="10%"/>',
      `<circle cx="5" cy="50" r="${(Math.hypot(10, 100) / Math.SQRT2) * 0.1}"`,
      tall,
    ],
    ['<rect rx="auto" ry="50%" width="5" height="5"/>', '<rect ry="50" width="5" height="5"'],
    [
      '<line x1="1" y1="0" x2="9" y2="9" transform="translate(3)"/>',
      '<line x1="1" y1="0" x2="9" y2="9" transform="matrix(1 0 0 1 3 0)"',
    ],
    ['<path d="M1,2 3-4.5.5 6z" transform="scale(1)"/>', '<path d="M1 2L3-4.5L.5 6z"'],
    ['<path d="m1 2a1 1 0 013 4h-1e0"/>', '<path d="m1 2a1 1 0 0 1 3 4h-1"'],
    ['<polygon points="1,2 3 4-5 6"/>', '<polygon points="1 2 3 4-5 6"'],
    [
      `<path ${square} stroke="red" style="stroke-width:1mm;stroke-dasharray:1px, 2 10%"/>`,
      `<path d="M20 20h20v20h-20z" stroke="red" stroke-width="${96 / 25.4}" stroke-dasharray="1 2 10"`,
    ],
    [
      `<path ${square} opacity="50%" fill-opacity="3" stroke-miterlimit="0"/>`,
      '<path d="M20 20h20v20h-20z" opacity=".5" fill-opacity="1" stroke-miterlimit="1"',
    ],
    [`<path ${square} stroke-width="inherit" x="1ex" preserveAspectRatio="none"/>`, '<path d="M20 20h20v20h-20z"'],
    [
      `<path ${square} transform="matrix(1,0,0,-1,2,3), translate(1e0-2) scale(2,-2)"/>`,
      '<path d="M20 20h20v20h-20z" transform="matrix(2 0 0 2 3 5)"',
    ],
  ]
  for (const [inner, expected, attributes] of cases) {
    test(inner, () => assert.equal(written(inner, attributes), expected))
  }
})

/** Builds drawings of one shape in groups, of numbers in every notation. */
function createDrawings(seed: number): () => { inner: string; viewBox: string } {
  const random = randomFrom(seed)
  const oneOf = (...values: string[]) => values[Math.floor(random() * values.length)] ?? ''
  const number = (reach = 120) => {
    const value = (random() - 0.3) * reach
    return oneOf(value.toFixed(2), value.toExponential(1), value.toFixed(0), value.toFixed(3).replace(/^0/, ''))
  }
  const length = () =>
    number().replace(/^-/, oneOf('-', '')) +
    oneOf('', '', '', 'px', 'pt', 'mm', 'PX', '%', '%', 'em', 'EM', 'ex', 'in', 'Q', 'pc')
  const numbers = (count: number, reach?: number) =>
    Array.from({ length: count }, () => number(reach)).join(oneOf(' ', ' ', ',', ', ', '\n', ',,'))
  const transform = () => {
    const count = (...counts: number[]) => Number(oneOf(...counts.map(String)))
    return oneOf(
      `translate(${numbers(count(1, 2, 2, 3), 200)})`,
      `scale(${numbers(count(1, 2, 3), 3)})`,
      `rotate(${numbers(count(1, 3, 2), 180)})`,
      `skewX(${numbers(1, 80)})skewY(${numbers(1, 80)})`,
      `matrix(${numbers(count(6, 6, 7, 5), 3)})`,
      `translate(0x${Math.floor(random() * 4096).toString(16)})`,
      `translate(${numbers(2)}) ${oneOf('scale', 'SCALE', 'rotate')}(${numbers(1, 4)})`,
    )
  }
  const arc = () => `${numbers(3)} ${oneOf('0', '1')}${oneOf('', ' ', ',')}${oneOf('0', '1')}${numbers(2)}`
  const path = () =>
    `M${numbers(2)}` +
    oneOf(
      `${oneOf('L', 'l', ' ')}${numbers(4)}${oneOf('', 'z')}`,
      `${oneOf('C', 'c')}${numbers(6)}${oneOf('S', 's')}${numbers(4)}`,
      `${oneOf('Q', 'q')}${numbers(4)}${oneOf('T', 't')}${numbers(2)}`,
      `${oneOf('A', 'a')}${arc()}${oneOf('', 'zl5 5', 'h9')}`,
    )
  const shape = () =>
    oneOf(
      `rect x="${length()}" y="${length()}" width="${length()}" height="${length()}" rx="${length()}"`,
      `circle cx="${length()}" cy="${length()}" r="${length()}"`,
      `ellipse cx="${length()}" cy="${length()}" rx="${length()}" ry="${length()}"`,
      `line x1="${length()}" y1="${length()}" x2="${length()}" y2="${length()}"`,
      `path d="${path()}"`,
      `polygon points="${numbers(6)}"`,
    )
  const stroke = () => {
    const join = oneOf('miter', 'round', 'bevel', 'MITER', 'Round', 'miter-clip', 'inherit')
    const style = `stroke-width:${oneOf(length(), 'inherit')};stroke-linejoin:${join};stroke-miterlimit:${number(20)}`
    return oneOf('', `stroke="red" style="${style}"`, `stroke="red" stroke-width="${length()}"`, 'stroke="inherit"')
  }
  const around = () => oneOf('', '', stroke(), `transform="${transform()}"`, `style="transform:${transform()}"`)
  return () => {
    const viewBox = oneOf('0 0 100 100', '0 0 10 100', '-50 -50 200 50', '0 0 300 300')
    return { inner: `<g ${around()}><g ${around()}><${shape()} ${oneOf(stroke(), around())}/></g></g>`, viewBox }
  }
}

test('whatever numbers a drawing has, it is refused, or drawn no further outside of its viewBox than may be', () => {
  const draw = createDrawings(1)
  let drawn = 0
  for (let count = 0; count < 20_000; count++) {
    const { inner, viewBox } = draw()
    let markup = ''
    try {
      markup = clean(inner, `viewBox="${viewBox}"`)
    } catch {
      continue
    }
    const box = drawnBox(markup)
    if (box === undefined) continue
    drawn++
    const [left = 0, top = 0, width = 0, height = 0] = viewBox.split(' ').map(Number)
    const bounds = [left - width, top - height, -left - 2 * width, -top - 2 * height]
    const beyond = [box[0], box[1], -box[2], -box[3]].map((each, at) => (bounds[at] ?? 0) - each)
    assert.ok(Math.max(...beyond) <= 0.02 * Math.max(width, height), `${inner} in ${viewBox}: ${box.join(' ')}`)
  }
  assert.ok(drawn > 1000, `${drawn} were drawn`)
})
