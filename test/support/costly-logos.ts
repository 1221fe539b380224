import { crc32, deflateSync } from 'node:zlib'
import { segment } from './logos.ts'

/** Builds a file of about so many bytes. */
export type CostlyLogo = (bytes: number) => Uint8Array

const svg = (inner: string, attributes = 'viewBox="0 0 8 8"') =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inner}</svg>`)
const box = '<rect width="8" height="8"/>'
const rect = (attributes: string) => `<rect width="8" height="8" ${attributes}/>`
const sheet = (css: string, inner = box) => svg(`<style>${css}</style>${inner}`)
/** Joins parts, each made from its index, until they have about so many characters. */
const fill = (bytes: number, part: (index: number) => string): string => {
  const parts: string[] = []
  for (let [length, at] = [0, 0]; length < bytes; at++) {
    const next = part(at)
    parts.push(next)
    length += next.length
  }
  return parts.join('')
}
const attribute = (name: string, part: string): CostlyLogo => {
  return (bytes) => svg(rect(`${name}="${part.repeat(bytes / part.length)}"`))
}
const css = (part: string, before = '', after = ''): CostlyLogo => {
  return (bytes) => sheet(before + part.repeat(bytes / part.length) + after)
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

function png(side: number, middle: (pixels: Buffer) => Buffer[], [depth, color, interlace] = [8, 6, 0]): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.set([depth, color, 0, 0, interlace], 8)
  const pixels = deflateSync(Buffer.alloc((side * (depth / 8) * 4 + 1) * side, 0), { level: 9 })
  const start = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([start, chunk('IHDR', header), ...middle(pixels), chunk('IEND', Buffer.alloc(0))])
}

/** Encodes bits as the data of a scan, padded with ones and with byte stuffing. */
function scanData(bits: string): number[] {
  const bytes = bits.match(/.{1,8}/g) ?? []
  return bytes
    .map((each) => Number.parseInt(each.padEnd(8, '1'), 2))
    .flatMap((each) => (each === 255 ? [255, 0] : [each]))
}

/** A grey progressive JPEG of that side, with as many scans as fit, in which all blocks are empty. */
function scans(bytes: number, side: number, most = Infinity): Buffer {
  const size = [side >> 8, side & 255]
  const blocks = (side / 8) ** 2
  const fifteen = Array.from({ length: 15 }, () => 0)
  const tables = segment(0xdb, 0, ...Array.from({ length: 64 }, () => 1))
  const start = [
    [0xff, 0xd8],
    tables,
    segment(0xc2, 8, ...size, ...size, 1, 1, 0x11, 0),
    // One code each: of DC, no difference; of AC, a run of blocks that end, whose length is 16,384 and 14 bits.
    segment(0xc4, 0x00, 1, ...fifteen, 0),
    segment(0xc4, 0x10, 1, ...fifteen, 0xe0),
  ].flat()
  const direct = [...segment(0xda, 1, 1, 0, 0, 0, 0), ...scanData('0'.repeat(blocks))]
  const run = scanData(`0${'1'.repeat(14)}`.repeat(Math.ceil(blocks / 32_767)))
  const one = [...segment(0xda, 1, 1, 0, 1, 63, 0), ...run]
  const count = Math.min(most, Math.max(1, Math.floor((bytes - start.length - direct.length) / one.length)))
  const many = Array.from({ length: count }, () => one).flat()
  return Buffer.from([...start, ...direct, ...many, 0xff, 0xd9])
}

function exifs(bytes: number): Buffer {
  const exif = segment(0xe1, ...Buffer.from('Exif\0\0MM\0*\0\0\0\x08\xff\xff', 'latin1'), 0, 0, 0, 0)
  return Buffer.from([0xff, 0xd8, ...Array.from({ length: bytes / exif.length }, () => exif).flat(), 0xff, 0xd9])
}

/** Logos that cost as much work per byte as we could find, each in a different way. Most are rejected. */
export const costlyLogos: Record<string, CostlyLogo> = {
  'a reference of letters, blanks and a mark': (bytes) =>
    svg(rect(`fill="url(#${'a'.repeat(bytes / 2)}${' '.repeat(bytes / 2)}x"`)),
  'a reference with blanks inside': (bytes) => svg(rect(`fill="url(#a${' '.repeat(bytes)}b)"`)),
  'a reference with blanks inside, in a style': (bytes) => svg(rect(`style="fill:url(#a${' '.repeat(bytes)}b)"`)),
  'a reference with blanks inside, in a sheet': (bytes) => sheet(`rect{fill:url(#a${' '.repeat(bytes)}b)}`),
  'a clip path with blanks inside': (bytes) => svg(rect(`clip-path="url(#a${' '.repeat(bytes)}b)"`)),
  gradients: (bytes) => svg(fill(bytes, (at) => `<linearGradient id="${at}"/>`)),
  'few gradients and much text': (bytes) =>
    svg(`${fill(100_000, (at) => `<linearGradient id="${at}"/>`)}<!--${' '.repeat(Math.max(0, bytes - 100_000))}-->`),
  'gradients that lead to each other': (bytes) =>
    svg(
      fill(bytes, (at) => `<linearGradient id="${at}" href="#${Math.floor(at / 2) - 1}"/>`).replace(' href="#-1"', ''),
    ),
  'uses of one clip path': (bytes) =>
    svg(`<clipPath id="a"><rect width="1" height="1"/></clipPath>${fill(bytes, () => '<g clip-path="url(#a)"/>')}`),
  attributes: (bytes) => svg(`<rect ${fill(bytes, (at) => `a${at}="" `)}/>`),
  'the same attribute': (bytes) => svg(`<rect ${fill(bytes, () => 'x="" ')}/>`),
  elements: (bytes) => svg('<g/>'.repeat(bytes / 4)),
  'elements in each other': (bytes) => svg('<g>'.repeat(bytes / 3)),
  'tags that close nothing': (bytes) => svg('</g>'.repeat(bytes / 4)),
  'the start of tags': (bytes) => svg('<'.repeat(bytes)),
  'a tag that stays open': (bytes) => svg(`<g${' '.repeat(bytes)}`),
  'a name': (bytes) => svg(`<${'a'.repeat(bytes)}/>`),
  'a comment of dashes': (bytes) => svg(`<!--${'- '.repeat(bytes / 2)}`),
  comments: (bytes) => svg(`${'<!---->'.repeat(bytes / 7)}${box}`),
  'the start of comments': (bytes) => svg('<!--'.repeat(bytes / 4)),
  'the start of literal text': (bytes) => sheet('<![CDATA['.repeat(bytes / 9)),
  'literal texts': (bytes) => sheet('<![CDATA[]]>'.repeat(bytes / 12)),
  entities: (bytes) => svg(rect(`class="${'&amp;'.repeat(bytes / 5)}"`)),
  'entities in a sheet': css('&amp;', '.a{x:"', '"}'),
  'an entity that stays open': (bytes) => svg(rect(`class="&${'a'.repeat(bytes)}"`)),
  'a document type': (bytes) => Buffer.concat([Buffer.from(`<!DOCTYPE svg PUBLIC "${'a'.repeat(bytes)}">`), svg(box)]),
  'a document type that stays open': (bytes) => Buffer.from(`<!DOCTYPE svg [${'<!ENTITY a "'.repeat(bytes / 12)}`),
  'a document type of blanks': (bytes) => Buffer.from(`<!DOCTYPE svg${' '.repeat(bytes)}x`),
  'an instruction': (bytes) => Buffer.from(`<?xml ${'?'.repeat(bytes)}`),
  'blanks before it': (bytes) => Buffer.from(`${' '.repeat(bytes)}x`),
  classes: (bytes) => sheet('.a{r:1}', rect(`class="${fill(bytes, (at) => `a${at} `)}"`)),
  'the same class': (bytes) => sheet('.a{r:1}', rect(`class="${'a '.repeat(bytes / 2)}"`)),
  'selectors for each element': (bytes) => sheet('.a{}'.repeat(bytes / 8), '<g class="a"/>'.repeat(bytes / 28)),
  'rules for each element': (bytes) => sheet('.a{r:1}'.repeat(bytes / 14), '<g class="a"/>'.repeat(bytes / 28)),
  'a long rule for each element': (bytes) => sheet(`g{x:${'1'.repeat(bytes / 256)}}`, '<g/>'.repeat(bytes / 4)),
  declarations: css('b:c;', '.a{', '}'),
  'declarations of nothing': css('b:c!;', '.a{', '}'),
  'declarations on each element': (bytes) => sheet(`g{${'r:1;'.repeat(60)}}`, '<g/>'.repeat(bytes / 4)),
  'brackets in a sheet': css('('),
  'braces in a sheet': css('{'),
  'blocks in a sheet': css('a{'),
  'closing braces in a sheet': css('}'),
  'comments in a sheet': css('/**/'),
  'the start of comments in a sheet': css('/*'),
  'quotes in a sheet': css(`"'`),
  'lines of quotes in a sheet': css('"\n'),
  'rules by at in a sheet': css('@a'),
  'the start of addresses in a sheet': css('url('),
  'blanks in a sheet': css(' '),
  'odd blanks in a sheet': (bytes) => sheet('\u{a0}'.repeat(bytes / 2)),
  'exclamation marks in a sheet': css('! ', '.a{fill:', '}'),
  sheets: (bytes) => svg(`${'<style>.a{}</style>'.repeat(bytes / 19)}${box}`),
  'styles of colons': (bytes) => svg(fill(bytes, () => `<g style="${':'.repeat(4000)}"/>`)),
  'styles of declarations': (bytes) => svg(fill(bytes, () => `<g style="${'fill:red;'.repeat(440)}"/>`)),
  'styles of importance': (bytes) => svg(fill(bytes, () => `<g style="${'fill:red!important;'.repeat(210)}"/>`)),
  'styles of brackets': (bytes) => svg(fill(bytes, () => `<g style="x:${'('.repeat(4000)}"/>`)),
  'styles of quotes': (bytes) => svg(fill(bytes, () => `<g style="${"x:'y';".repeat(680)}"/>`)),
  'many attributes': (bytes) => svg(fill(bytes, () => `<g ${fill(900, (at) => `a${at}="" `)}/>`)),
  'references of blanks': (bytes) => svg(fill(bytes, () => `<g fill="url(#a${' '.repeat(4000)}) red"/>`)),
  'colours of commas': (bytes) => svg(fill(bytes, () => `<g fill="rgb(${','.repeat(4000)})"/>`)),
  'transforms of many steps': (bytes) => svg(fill(bytes, () => `<g transform="${'scale(1)'.repeat(500)}"/>`)),
  'transforms of many numbers': (bytes) => svg(fill(bytes, () => `<g transform="scale(${'1 '.repeat(2000)})"/>`)),
  'widths of digits': (bytes) => svg(fill(bytes, () => `<rect width="${'1'.repeat(4000)}" height="8"/>`)),
  'lists of classes': (bytes) =>
    sheet(
      '.a{r:1}',
      fill(bytes, (at) => `<g class="${fill(4000, (each) => `${at}-${each} `)}"/>`),
    ),
  'dashes for all shapes': (bytes) =>
    svg(
      `<g stroke="red" stroke-dasharray="${'8 '.repeat(99)}8">${fill(bytes - 600, () => '<path d="M0 0h8"/>').slice(0, 17 * 2400)}</g>`,
    ),
  'dashes that are drawn': () => svg('<path stroke="red" stroke-dasharray=".004" stroke-dashoffset="1e9" d="M0 4h8"/>'),
  'dashes of many lengths that are drawn': () =>
    svg(`<path stroke="red" stroke-dasharray="${'0 '.repeat(98)}.5" d="M0 4h8M0 2h8"/>`),
  'joins that are drawn': () =>
    svg(`<path stroke="red" stroke-linejoin="round" stroke-linecap="round" d="M0 0${'l4 4-4 4'.repeat(1400)}"/>`),
  'rules without a match': (bytes) =>
    sheet(
      fill(60_000, (at) => `.b${at}{r:1}`),
      fill(bytes - 62_000, () => '<g class="a"/>').slice(0, 13 * 4900),
    ),
  'semicolons in a style': attribute('style', ';'),
  'colons in a style': attribute('style', ':'),
  'declarations in a style': attribute('style', 'fill:red;'),
  'names in a style': attribute('style', 'a'),
  'blanks in a style': attribute('style', ' '),
  'exclamation marks in a style': attribute('style', '! '),
  'importance in a style': attribute('style', 'fill:red!important;'),
  'comments in a style': attribute('style', '/*'),
  'slashes in a style': attribute('style', '/'),
  'brackets in a style': attribute('style', 'fill:('),
  'quotes in a style': attribute('style', `'`),
  'blanks in a colour': (bytes) => svg(rect(`fill="rgb(${' '.repeat(bytes)}x"`)),
  'commas in a colour': attribute('fill', 'rgb(,'),
  'letters of a colour': attribute('fill', 'a'),
  'blanks of a scripted address': (bytes) => svg(`<a href="${' '.repeat(bytes)}"/>`),
  'the prefix of an address': (bytes) => svg(`<a ${':'.repeat(bytes)}href=""/>`),
  transforms: attribute('transform', 'scale(1)'),
  'transforms of nothing': attribute('transform', 'scale'),
  'letters of a transform': attribute('transform', 'a'),
  'blanks of a transform': (bytes) => svg(rect(`transform="scale${' '.repeat(bytes)}x"`)),
  'the start of transforms': attribute('transform', 'scale('),
  'numbers of a transform': (bytes) => svg(rect(`transform="scale(${'1 '.repeat(bytes / 2)})"`)),
  'digits of a transform': (bytes) => svg(rect(`transform="scale(${'1'.repeat(bytes)})"`)),
  'transforms on each element': (bytes) => svg('<g transform="scale(1)"/>'.repeat(bytes / 25)),
  'blanks in a viewBox': (bytes) => svg(box, `viewBox="0${' '.repeat(bytes)}0 8 8"`),
  'numbers in a viewBox': (bytes) => svg(box, `viewBox="${'1 '.repeat(bytes / 2)}"`),
  'digits of a width': (bytes) => svg(box, `width="${'1'.repeat(bytes)}x" height="8"`),
  'points of a width': (bytes) => svg(box, `width="${'.'.repeat(bytes)}" height="8"`),
  'blanks of a width': (bytes) => svg(box, `width="8${' '.repeat(bytes)}x" height="8"`),
  'letters of a width': (bytes) => svg(box, `width="8${'e1'.repeat(bytes / 2)}" height="8"`),
  'lines of a path': (bytes) => svg(`<path d="M0 0${'h1'.repeat(bytes / 2)}"/>`),
  'curves of a path': (bytes) => svg(`<path d="M0 0${'C1 2 3 4 5 6'.repeat(bytes / 12)}"/>`),
  'arcs of a path': (bytes) => svg(`<path d="M0 0${'A1 1 0 114 4'.repeat(bytes / 12)}"/>`),
  'closings of a path': (bytes) => svg(`<path d="M0 0${'z'.repeat(bytes)}"/>`),
  'moves of a path': (bytes) => svg(`<path d="${'M0 0'.repeat(bytes / 4)}"/>`),
  'digits of a path': (bytes) => svg(`<path d="M0 ${'1'.repeat(bytes)}"/>`),
  'exponents of a path': (bytes) => svg(`<path d="M0 0${'L1e9 1e9'.repeat(bytes / 8)}"/>`),
  'blanks of a path': (bytes) => svg(`<path d="M0 0${' '.repeat(bytes)}"/>`),
  'blanks of a path, and lines': (bytes) =>
    svg(`<path d="M0 0${'h1'.repeat(2000)}${' '.repeat(Math.max(0, bytes - 4000))}"/>`),
  'blanks of a path, and a mark': (bytes) => svg(`<path d="M0 0${' '.repeat(bytes)}!"/>`),
  'commas of a path': (bytes) => svg(`<path d="M0${','.repeat(bytes)}0"/>`),
  'short paths with blanks': (bytes) => svg(fill(bytes, () => `<path d="M0 0h1${' '.repeat(40)}"/>`)),
  'points of a polygon': (bytes) => svg(`<polygon points="${'1 2 '.repeat(bytes / 4)}"/>`),
  'blanks of a polygon': (bytes) => svg(`<polygon points="${' '.repeat(bytes)}"/>`),
  'letters of a polygon': (bytes) => svg(`<polygon points="0 0${'h1'.repeat(bytes / 2)}"/>`),
  'tiny dashes': (bytes) => svg(`<path stroke="red" stroke-dasharray="${'1e-9 '.repeat(bytes / 5)}" d="M0 0h8"/>`),
  'dashes of nothing': (bytes) => svg(`<path stroke="red" stroke-dasharray="${'0 '.repeat(bytes / 2)}" d="M0 0h8"/>`),
  'dashes, all but one of nothing': (bytes) =>
    svg(`<path stroke="red" stroke-dasharray="${'0 '.repeat(bytes / 2)}8" d="M0 0h8"/>`),
  'dashes with an offset': (bytes) =>
    svg(
      fill(
        Math.min(bytes, 40_000),
        () => '<path stroke="red" stroke-dasharray=".01" stroke-dashoffset="1e9" d="M0 0h1"/>',
      ),
    ),
  'dashes of a group, on each shape': (bytes) =>
    svg(
      `<g stroke="red" stroke-dasharray="${'8 '.repeat(bytes / 4)}">${'<path d="M0 0h8"/>'.repeat(Math.min(2900, bytes / 36))}</g>`,
    ),
  'a long stroke colour of a group, on each shape': (bytes) =>
    svg(`<g stroke="${'a'.repeat(bytes / 2)}">${'<path d="M0 0h8"/>'.repeat(bytes / 36)}</g>`),
  coats: () => svg(rect('fill="red"').repeat(29)),
  'coats of a gradient': () =>
    svg(
      `<radialGradient id="a">${'<stop offset=".5" stop-color="red"/>'.repeat(99)}</radialGradient>${rect('fill="url(#a)"').repeat(4)}`,
    ),
  'curves that are drawn': (bytes) => svg(`<path d="M0 0${'C1 2 3 4 5 6'.repeat(Math.min(11_900, bytes / 12))}"/>`),
  'layers that are drawn': () => svg(`<g opacity=".9">${box}</g>`.repeat(9)),
  'clip paths that are drawn': () =>
    svg(`<clipPath id="a">${rect('')}</clipPath>${`<g clip-path="url(#a)">${box}</g>`.repeat(7)}`),
  'layers in each other that are drawn': () => svg(`${'<g opacity=".9">'.repeat(8)}${box}${'</g>'.repeat(8)}`),
  'chunks of a PNG': (bytes) =>
    png(64, (pixels) => [
      ...Array.from({ length: bytes / 12 }, () => chunk('IDAT', Buffer.alloc(0))),
      chunk('IDAT', pixels),
    ]),
  'texts of a PNG': (bytes) =>
    png(64, (pixels) => [
      ...Array.from({ length: bytes / 13 }, () => chunk('tEXt', Buffer.alloc(1))),
      chunk('IDAT', pixels),
    ]),
  'palettes of a PNG': (bytes) =>
    png(64, (pixels) => [
      ...Array.from({ length: bytes / 15 }, () => chunk('PLTE', Buffer.alloc(3))),
      chunk('IDAT', pixels),
    ]),
  'a PNG that unpacks to more': (bytes) =>
    png(64, () => [chunk('IDAT', deflateSync(Buffer.alloc(Math.min(bytes * 1000, 250_000_000)), { level: 9 }))]),
  'a large PNG of 16 bits': () => png(2048, (pixels) => [chunk('IDAT', pixels)], [16, 6, 0]),
  'a large PNG of 16 bits, interlaced': () =>
    png(2048, () => [chunk('IDAT', deflateSync(Buffer.alloc(2048 * 2048 * 8 + 28_000), { level: 9 }))], [16, 6, 1]),
  'segments of a JPEG': (bytes) =>
    Buffer.from([0xff, 0xd8, ...Array.from({ length: bytes / 4 }, () => [0xff, 0xfe, 0, 2]).flat(), 0xff, 0xd9]),
  'tables of a JPEG': (bytes) =>
    Buffer.from([0xff, 0xd8, ...Array.from({ length: bytes / 4 }, () => [0xff, 0xdd, 0, 2]).flat(), 0xff, 0xd9]),
  'fill bytes of a JPEG': (bytes) => Buffer.from([0xff, 0xd8, ...Array.from({ length: bytes }, () => 0xff)]),
  'directories of a JPEG': exifs,
  'scans of a large JPEG': (bytes) => scans(bytes, 2048),
  'scans that are drawn of a large JPEG': (bytes) => scans(bytes, 2048, 31),
  'scans of a small JPEG': (bytes) => scans(bytes, 256),
}

/** The body of a request for a design with a costly, allowed logo: many layers of a gradient. Each number gives a different one. */
export function heavyDrawing(number: number) {
  const stops = '<stop offset=".5" stop-color="#024"/>'.repeat(99)
  const box = '<rect width="8" height="8" fill="url(#a)"/>'.repeat(4)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 ${8 + number / 100}"><radialGradient id="a">${stops}</radialGradient>${box}</svg>`
  const image = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
  return { data: `https://example.com/${number}`, size: 1800, design: { logo: { image } } }
}
