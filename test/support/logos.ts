import { constants, deflateSync } from 'node:zlib'
import { joinPng } from '../../src/qr/png/png.ts'

export function dataUri(type: 'png' | 'jpeg' | 'svg+xml', file: Uint8Array | string): string {
  return `data:image/${type};base64,${Buffer.from(file).toString('base64')}`
}

export const svgLogo = dataUri(
  'svg+xml',
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="4" fill="#e63946"/>' +
    '<path d="M2 4l2 2 2.5-4" fill="none" stroke="#fff" stroke-width=".8"/></svg>',
)

/** A PNG of one colour, eight bits per sample: red, green, blue and alpha. */
export function pngFile(width: number, height: number, color = [0, 119, 182, 255], rows = height): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 6, 0, 0, 0], 8)
  const row = Buffer.concat([Buffer.from([0]), ...Array.from({ length: width }, () => Buffer.from(color))])
  const pixels = deflateSync(Buffer.concat(Array.from({ length: rows }, () => row)))
  return joinPng([
    ['IHDR', header],
    ['tEXt', Buffer.from('Comment\0made by a camera at a place')],
    ['IDAT', pixels],
    ['IEND', Buffer.alloc(0)],
  ])
}

/** A segment of a JPEG. */
export const segment = (marker: number, ...data: number[]) => [
  0xff,
  marker,
  (data.length + 2) >> 8,
  (data.length + 2) & 255,
  ...data,
]

/** A grey JPEG of eight by eight pixels (ITU-T T.81), written by hand: every coefficient of its one block is zero. */
export function jpegFile(width = 8, height = 8): Buffer {
  const zeros = (count: number) => Array.from({ length: count }, () => 0)
  return Buffer.from([
    0xff,
    0xd8,
    ...segment(0xe1, ...Buffer.from('Exif\0\0 a place')),
    ...segment(0xdb, 0, ...Array.from({ length: 64 }, () => 1)),
    ...segment(0xc0, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0),
    // One code of one bit in either table: no difference, and no further coefficients.
    ...segment(0xc4, 0x00, 1, ...zeros(15), 0),
    ...segment(0xc4, 0x10, 1, ...zeros(15), 0),
    ...segment(0xda, 1, 1, 0x00, 0, 63, 0),
    0b00111111,
    0xff,
    0xd9,
  ])
}

const svg = (inner: string, attributes = 'viewBox="0 0 8 8"', before = '') =>
  dataUri('svg+xml', `${before}<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inner}</svg>`)
const circle = '<circle cx="4" cy="4" r="4"/>'

function damaged(file: Buffer, at: number): Buffer {
  const copy = Buffer.from(file)
  copy[at] = (copy[at] ?? 0) ^ 0xff
  return copy
}

/** A PNG whose header claims one pixel, and whose data inflates to 200 MB. */
function zipBomb(): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(1, 0)
  header.writeUInt32BE(1, 4)
  header.set([8, 6, 0, 0, 0], 8)
  return joinPng([
    ['IHDR', header],
    // A quarter of the default strategy's time.
    ['IDAT', deflateSync(Buffer.alloc(200_000_000), { strategy: constants.Z_RLE })],
    ['IEND', Buffer.alloc(0)],
  ])
}

/** Invalid or malicious logos, each with a word of the error that it must cause. */
export function badLogos(): [name: string, image: string, word: RegExp][] {
  const png = pngFile(16, 16)
  const nested = '<g>'.repeat(60) + '</g>'.repeat(60)
  return [
    ['an address', 'https://example.com/logo.png', /data URI/],
    ['a data URI of another type', dataUri('png', 'x').replace('png', 'gif'), /data URI/],
    ['a data URI without base64', 'data:image/svg+xml,<svg/>', /data URI/],
    ['no bytes', 'data:image/png;base64,', /data URI/],
    ['text', dataUri('png', 'hello'), /neither/],
    ['wrong magic', dataUri('png', damaged(png, 1)), /neither/],
    ['bytes that are no text', dataUri('svg+xml', Buffer.from([0xff, 0xfe, 0x00])), /neither/],
    ['a GIF', dataUri('png', 'GIF89a'), /neither/],
    ['a PNG cut off in a chunk', dataUri('png', png.subarray(0, 60)), /cut off/],
    ['a PNG cut off between chunks', dataUri('png', png.subarray(0, -12)), /cut off/],
    ['a PNG of a signature', dataUri('png', png.subarray(0, 8)), /header/],
    ['a PNG with a wrong checksum', dataUri('png', damaged(png, 20)), /damaged/],
    ['a PNG with fewer rows than it says', dataUri('png', pngFile(16, 16, undefined, 8)), /cut off/],
    ['a PNG with more rows than it says', dataUri('png', pngFile(16, 16, undefined, 64)), /larger/],
    ['a PNG of 100,000 pixels', dataUri('png', pngFile(100_000, 1)), /each side/],
    ['a PNG of no pixels', dataUri('png', pngFile(0, 0)), /each side/],
    ['a zip bomb', dataUri('png', zipBomb()), /larger/],
    ['a PNG without a colour', dataUri('png', pngFile(16, 16, [0, 0, 0, 0])), /cannot be drawn/],
    ['a JPEG cut off', dataUri('jpeg', jpegFile().subarray(0, 40)), /cut off/],
    ['a JPEG without an end', dataUri('jpeg', jpegFile().subarray(0, -2)), /cut off/],
    ['a JPEG of 60,000 pixels', dataUri('jpeg', jpegFile(60_000, 60_000)), /each side/],
    [
      'a JPEG of two frames, of which the first has 60,000 pixels',
      dataUri('jpeg', Buffer.concat([jpegFile(60_000, 60_000).subarray(0, -2), jpegFile().subarray(2)])),
      /several frames/,
    ],
    [
      'a PNG of two headers',
      dataUri('png', Buffer.concat([png.subarray(0, -12), pngFile(30_000, 1).subarray(8, 33), png.subarray(-12)])),
      /several headers/,
    ],
    ['a JPEG of nothing', dataUri('jpeg', Buffer.from([0xff, 0xd8])), /cut off/],
    ['a JPEG with a wrong table', dataUri('jpeg', damaged(jpegFile(), 24)), /cannot be drawn|damaged|cut off/],
    [
      'a billion laughs',
      svg(circle, undefined, '<!DOCTYPE svg [<!ENTITY a "lol"><!ENTITY b "&a;&a;">]>'),
      /document type/,
    ],
    ['an entity of its own', svg(`<title>&lol;</title><path d="&lol;"/>`), /entity/],
    ['an external entity', svg(circle, undefined, '<!DOCTYPE svg SYSTEM "file:///etc/passwd">'), /document type/],
    [
      'a stylesheet instruction',
      svg(circle, undefined, '<?xml-stylesheet href="http://example.com/a.css"?>'),
      /instruction/,
    ],
    ['a script', svg(`<script>alert(1)</script>${circle}`), /<script>/],
    ['a script in an attribute', svg('<circle cx="4" cy="4" r="4" onload="alert(1)"/>'), /script/],
    ['foreign content', svg('<foreignObject><body/></foreignObject>'), /<foreignObject>/],
    ['an image from elsewhere', svg('<image href="http://example.com/a.png"/>'), /<image>/],
    ['an image of a file', svg('<image href="file:///etc/passwd"/>'), /<image>/],
    ['a use of elsewhere', svg('<use href="http://example.com/a.svg#a"/>'), /<use>/],
    ['a gradient of elsewhere', svg('<linearGradient href="http://example.com/a.svg#a"/>'), /outside/],
    ['a fill of elsewhere', svg('<path fill="url(http://example.com/a.svg#a)" d="M0 0h8v8z"/>'), /outside/],
    ['a style that imports', svg('<style>@import "http://example.com/a.css"</style>'), /<style>/],
    [
      'a style sheet that loads',
      svg('<style>path{fill:url(http://example.com/a)}</style><path d="M0 0h8v8z"/>'),
      /outside/,
    ],
    ['a style attribute that loads', svg('<path style="fill:url(http://example.com/a)" d="M0 0h8v8z"/>'), /outside/],
    ['an animation', svg('<animate attributeName="x"/>'), /<animate>/],
    ['a filter', svg('<filter id="a"><feGaussianBlur stdDeviation="1000"/></filter>'), /<filter>/],
    ['text', svg('<text>hello</text>'), /<text>/],
    ['60 groups in each other', svg(nested), /nested/],
    ['10,000 elements', svg('<g/>'.repeat(10_000)), /elements/],
    [
      'an element that is not closed',
      dataUri('svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><g>'),
      /closed/,
    ],
    ['elements that cross', svg('<g><path></g></path>'), /close tag/],
    ['half a tag', svg('<path d="M0'), /well-formed/],
    ['HTML', dataUri('svg+xml', '<html></html>'), /<svg>/],
    ['no size', svg(circle, ''), /viewBox/],
    ['an endless viewBox', svg(circle, 'viewBox="0 0 1e9 1e9"'), /viewBox/],
    ['a viewBox like a hair', svg(circle, 'viewBox="0 0 1000 1"'), /viewBox/],
    ['nothing that is seen', svg('<circle cx="400" cy="4" r="4"/>'), /cannot be drawn/],
    [
      'more than 256 KiB',
      dataUri('svg+xml', `<svg xmlns="http://www.w3.org/2000/svg">${' '.repeat(262_200)}</svg>`),
      /256 KiB/,
    ],
  ]
}
