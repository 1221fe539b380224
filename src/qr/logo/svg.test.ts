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

const middle = (text: string) => colorsOf(text)[1]

const [RED, BLUE, NONE] = ['100', '001', 'none']

describe('an SVG logo is drawn', () => {
  test('with its style taking precedence over attributes', () => {
    assert.equal(middle(svg(rect('fill="red" style="fill:blue"'))), BLUE)
    assert.equal(middle(svg(rect('style="fill:blue" fill="red"'))), BLUE)
  })

  test('with the last valid declaration of its style, unless another is important', () => {
    assert.equal(middle(svg(rect('style="fill:red;fill:blue"'))), BLUE)
    assert.equal(middle(svg(rect('style="fill:blue;fill:color(display-p3 1 0 0)"'))), BLUE)
    assert.equal(middle(svg(rect('fill="blue" style="fill:color(display-p3 1 0 0)"'))), BLUE)
    assert.equal(middle(svg(rect('style="/* ; */FILL : blue ! important;fill:red;"'))), BLUE)
  })

  test('with a size in its style, without a viewBox and with the document type of Illustrator', () => {
    assert.equal(middle(svg(rect('fill="red"'), 'viewBox="0 0 8 8" style="width:24px;height:24px"')), RED)
    assert.equal(sanitizeSvg(svg(rect(''), 'width="16px" height="8"')).ratio, 2)
    const doctype =
      '<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n'
    assert.equal(middle(doctype + svg(rect('fill="red"'))), RED)
  })

  test('in the fallback colour of a missing gradient, and with an existing one', () => {
    const stops = '<stop stop-color="blue"/>'
    assert.equal(middle(svg(rect('fill="url(#f) red"'))), RED)
    assert.equal(middle(svg(`<linearGradient id="f">${stops}</linearGradient>${rect('fill="url(#f) red"')}`)), BLUE)
    assert.equal(middle(svg(`<linearGradient id="f g">${stops}</linearGradient>${rect('fill="url(\'#f g\')"')}`)), BLUE)
  })

  test('with gradients that inherit their stops', () => {
    for (const href of ['xlink:href', 'href']) {
      const gradients =
        `<radialGradient id="c" ${href}="#b"/><linearGradient id="a"><stop stop-color="red"/><stop offset="1" ` +
        `stop-color="blue"/></linearGradient><linearGradient id="b" ${href}="#a" x1="0" x2="1"/>`
      assert.deepEqual(
        colorsOf(svg(gradients + rect('fill="url(#b)"'))).filter((_, at) => at !== 1),
        [RED, BLUE],
      )
      assert.equal(middle(svg(gradients + rect('fill="url(#c)"'))), RED)
    }
  })

  test('without hidden shapes, and with dashes', () => {
    assert.equal(middle(svg(rect('visibility="hidden"'))), NONE)
    assert.equal(middle(svg(rect('style="display:none"'))), NONE)
    const dashed = '<path d="M0 4h8" stroke="red" stroke-width="8" stroke-dasharray="3 2 3"/>'
    assert.deepEqual(colorsOf(svg(dashed)), [RED, NONE, RED])
  })

  test('with arcs, smooth curves and rotated groups', () => {
    const paths = [
      '<path fill="red" d="M4 0a4 4 0 014 4 4 4 0 01-4 4A4 4 0 014 0z"/>',
      '<path fill="red" d="M4 0a4 4 0 100 8A4 4 0 104 0z"/>',
      '<path fill="red" d="M0 0A400 400 0 008 0V8H0z"/>',
      '<path fill="red" d="m0 0 8,0 0,8H0V0z"/>',
      '<path fill="red" d="M0 4Q0 0 4 0T8 4 4 8 0 4M1e0-.5"/>',
      '<path fill="red" d="M0 4C0 0 4 0 4 0S8 0 8 4 4 8 4 8 0 8 0 4"/>',
      '<polygon fill="red" points="0,0 8,0 8,8 0 8"/>',
      '<g transform="rotate(45 4 4) scale(.5) translate(4,4)"><rect width="8" height="8" fill="red"/></g>',
      '<g transform="matrix(0 1 -1 0 8 0)"><ellipse cx="4" cy="4" rx="4" ry="2" fill="red"/></g>',
    ]
    for (const path of paths) assert.equal(middle(svg(path)), RED, path)
  })

  test('without shapes outside of the viewBox, which would cost the renderer memory', () => {
    assert.doesNotMatch(clean(svg(`${rect('')}<circle cx="1e6" cy="4" r="8"/>`)), /circle/)
  })

  test('with ids that are unique to the logo, and the same each time', () => {
    const gradient = (color: string) =>
      svg(`<linearGradient id="a"><stop stop-color="${color}"/></linearGradient>${rect('fill="url(#a)"')}`)
    const idOf = (text: string) => / id="([^"]+)"/.exec(clean(text))?.[1]
    assert.match(idOf(gradient('red')) ?? '', /^logo-[\da-z]+-0$/)
    assert.equal(idOf(gradient('red')), idOf(gradient('red')))
    assert.notEqual(idOf(gradient('red')), idOf(gradient('blue')))
  })
})

describe('an SVG logo is refused, with the reason,', () => {
  const refusals: [name: string, text: string, word: RegExp][] = [
    ['a mask', svg(rect('mask="url(#m)"')), /mask/],
    ['an external mask', svg(rect('mask="url(http://example.com/#m)"')), /mask/],
    ['a filter', svg(rect('style="filter:url(#f)"')), /filter/],
    ['a marker', svg('<path d="M0 0h8" marker-end="url(#m)"/>'), /marker-end/],
    ['a blend mode', svg(rect('style="mix-blend-mode:multiply"')), /mix-blend-mode/],
    ['strokes that do not scale', svg(rect('vector-effect="non-scaling-stroke"')), /vector-effect/],
    ['a background', svg(rect(''), 'viewBox="0 0 8 8" style="background:#fff"'), /background/],
    ['an unsupported colour', svg(rect('fill="color(display-p3 1 0 0)"')), /not understood/],
    ['a variable', svg(rect('style="fill:var(--brand, red)"')), /not understood/],
    ['an escaped URL', svg(rect('style="fill:u\\72l(http://example.com/)"')), /not understood/],
    ['a transform of CSS', svg(rect('style="transform:rotate(45deg)"')), /transform/],
    ['a path in a style', svg('<path style="d:path(\'M0 0h8v8z\')"/>'), /style/],
    ['a damaged path', svg('<path d="M0 0h8v8q1"/>'), /damaged at/],
    ['a missing gradient', svg(rect('fill="url(#f)"')), /#f.*gradient/],
    ['a missing clip path', svg(rect('clip-path="url(#f)"')), /#f.*clip path/],
    ['a gradient for a clip path', svg(`<linearGradient id="f"/>${rect('clip-path="url(#f)"')}`), /clip path/],
    ['stops of a missing gradient', svg('<linearGradient id="a" href="#b"/>'), /#b.*gradient/],
    ['a gradient that refers to itself', svg('<linearGradient id="a" href="#a"/>'), /circle/],
    ['gradients in a circle', svg('<linearGradient id="a" href="#b"/><linearGradient id="b" href="#a"/>'), /circle/],
    ['a duplicate id', svg('<linearGradient id="a"/><linearGradient id="a"/>'), /twice/],
    ['a clipped clip path', svg(`<clipPath id="a">${rect('clip-path="url(#a)"')}</clipPath>`), /clip/],
    ['a nested <svg>', svg('<svg/>'), /<svg>/],
    ['shapes with an unknown prefix', svg('<svg:rect width="8" height="8"/>'), /svg:rect/],
    ['a negative viewBox', svg(rect(''), 'viewBox="0 0 -8 -8"'), /viewBox/],
    ['a tiny viewBox', svg(rect(''), 'viewBox="0 0 1e-9 1e-9"'), /viewBox.*0\.001/],
    ['a size in per cent', svg(rect(''), 'width="100%" height="100%"'), /viewBox/],
    ['a document type with declarations', `<!DOCTYPE svg [<!ENTITY a "b">]>${svg(rect(''))}`, /document type/],
  ]
  for (const member of ['constructor', 'toString', 'valueOf', '__proto__', 'hasOwnProperty']) {
    refusals.push([`the transform ${member}`, svg(rect(`transform="${member}(1 0 0 1 0 0)"`)), /transform/])
  }
  for (const [name, text, word] of refusals) test(`with ${name}`, () => assert.throws(() => clean(text), word))

  const damaged: [name: string, text: string, word: RegExp][] = [
    ['a tag that closes another', svg('<g></rect>'), /not well-formed XML.*close tag/],
    ['a tag that stays open', '<svg>', /not well-formed XML.*unclosed tag/],
    ['an attribute twice', svg('<rect x="1" x="2"/>'), /attribute x twice/],
    ['an attribute without quotes', svg('<rect x=1/>'), /not well-formed XML/],
    ['a second root', '<svg/><svg/>', /not well-formed XML|one root/],
    ['text behind it', '<svg/>text', /not well-formed XML/],
    ['an entity of HTML', svg('<title>&nbsp;</title>'), /undefined entity/],
    ['an entity that objects have', svg('<title>&constructor;</title>'), /undefined entity/],
    ['another instruction', `<?xml-stylesheet href="a.css"?>${svg(rect(''))}`, /processing instruction/],
    ['a character that no text has', svg('<title>\u{1}</title>'), /disallowed character/],
  ]
  for (const [name, text, word] of damaged) test(`with ${name}`, () => assert.throws(() => clean(text), word))

  test('but not for long attributes of editors', () => {
    const own = `inkscape:path-effect="#a" sodipodi:nodetypes="${'c'.repeat(9000)}" data-name="${'a'.repeat(9000)}"`
    assert.equal(middle(svg(rect(`fill="red" ${own}`))), RED)
    assert.equal(middle(svg(`<path fill="red" d="M0 0${'h8v8h-8z '.repeat(1000)}"/>`)), RED)
  })

  test('but not for attributes and properties that objects have', () => {
    const members = Object.getOwnPropertyNames(Object.prototype)
    const attributes = members.map((name) => `${name}="x"`).join(' ')
    const style = members.map((name) => `${name}:x`).join(';')
    assert.equal(middle(svg(rect(`fill="red" ${attributes} style="${style}"`))), RED)
  })

  test('but not for declaring that it has no mask, filter or marker', () => {
    const none = 'mask="none" style="filter:none;marker-start:none;mix-blend-mode:normal;vector-effect:none"'
    assert.equal(middle(svg(rect(`fill="red" ${none}`))), RED)
  })
})
