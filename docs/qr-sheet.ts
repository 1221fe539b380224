// Draws the images of docs/qr.md: a sheet of designs, each with the result of its scannability check.
import { mkdirSync, writeFileSync } from 'node:fs'
import { levels } from '../src/qr/encoder/tables.ts'
import type { Design } from '../src/qr/design/schema.ts'
import { pathToSvg, type Path } from '../src/qr/design/path.ts'
import { renderDesign } from '../src/qr/pool/render.ts'
import { openTools } from '../src/qr/pool/tools.ts'

const DATA = 'https://quirl.example/summer-menu?qr=1'

const check =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><circle cx="12" cy="12" r="12" fill="#e63946"/>' +
  '<path d="M6 12.5l4 4 8-9" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round"/></svg>'
const leaf =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M2 22C2 8 10 2 22 2c0 14-8 20-20 20z" fill="#2d6a4f"/>' +
  '<path d="M4 20L16 8" stroke="#fff" stroke-width="1.6"/></svg>'
const cup =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 24"><path d="M4 4h22v10a7 7 0 0 1-7 7h-8a7 7 0 0 1-7-7z" fill="#6f4518"/>' +
  '<path d="M26 7h3a4 4 0 0 1 0 8h-3" fill="none" stroke="#6f4518" stroke-width="2.4"/></svg>'
const image = (svg: string) => `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`

const designs: Record<string, Design> = {
  plain: {},
  rounded: { shape: 'rounded' },
  dots: { shape: 'dots' },
  diamond: { shape: 'diamond' },
  classy: { shape: 'classy' },
  'rounded eyes': { eye_frame: 'rounded', eye_ball: 'rounded' },
  'round eyes': { shape: 'dots', eye_frame: 'circle', eye_ball: 'circle' },
  'leaf eyes': { shape: 'classy', eye_frame: 'leaf', eye_ball: 'leaf' },
  'mixed eyes': { shape: 'diamond', eye_frame: 'leaf', eye_ball: 'circle' },
  colours: { shape: 'rounded', fg: '#1d3557', eye_frame_color: '#e63946', eye_frame: 'rounded', eye_ball: 'circle' },
  'coloured paper': { fg: '#283618', bg: '#fefae0', shape: 'classy' },
  'linear gradient': { shape: 'rounded', gradient: { type: 'linear', from: '#7209b7', to: '#03045e', angle: 45 } },
  'radial gradient': {
    shape: 'dots',
    gradient: { type: 'radial', from: '#d00000', to: '#370617' },
    eye_frame: 'circle',
    eye_ball: 'circle',
  },
  transparent: { bg: 'transparent', shape: 'rounded', fg: '#003049' },
  logo: { logo: { image: image(check) } },
  'wide logo': { shape: 'rounded', logo: { image: image(cup), size: 0.2 }, fg: '#432818', eye_frame: 'rounded' },
  'logo on modules': { shape: 'dots', logo: { image: image(leaf), size: 0.16, knockout: false }, fg: '#081c15' },
  frame: { frame: { text: 'Scan me' } },
  'frame above': { frame: { text: 'MENU', position: 'top', color: '#2d6a4f' }, shape: 'rounded', fg: '#081c15' },
  'square frame': { frame: { text: 'Größe & Preis', shape: 'square', color: '#ffd60a' }, shape: 'diamond' },
  'all of it': {
    shape: 'rounded',
    eye_frame: 'leaf',
    eye_ball: 'circle',
    gradient: { type: 'linear', from: '#5a189a', to: '#03045e', angle: 90 },
    logo: { image: image(check), size: 0.18 },
    frame: { text: 'SCAN TO ORDER', color: '#5a189a' },
  },
  'too pale': { shape: 'dots', gradient: { type: 'linear', from: '#b75eff', to: '#4cc9f0' } },
  'light on dark': { fg: '#fff', bg: '#14213d', shape: 'rounded' },
  'little quiet zone': { margin: 1, shape: 'classy', fg: '#14213d' },
}

const COLUMNS = 6
const [CELL, ROW, IMAGE] = [230, 300, 200]
const folder = new URL('qr/', import.meta.url)
mkdirSync(folder, { recursive: true })
const tools = await openTools()

/** A centred line of text as a shape. */
function label(text: string, x: number, y: number, height: number): string {
  const path: Path = []
  tools.font.draw(path, text, { x: x - (tools.font.width(text) * height) / 2, y, height })
  return `<path d="${pathToSvg(path)}"/>`
}

let cells = ''
for (const [index, [name, design]] of Object.entries(designs).entries()) {
  const job = { text: DATA, design, at: '/design', format: 'png' as const, size: IMAGE * 2 }
  const { body, report } = await renderDesign(job, tools)
  const file = Buffer.from(body)
  const height = (IMAGE * file.readUInt32BE(20)) / file.readUInt32BE(16)
  const [x, y] = [(index % COLUMNS) * CELL, Math.floor(index / COLUMNS) * ROW]
  cells +=
    `<image x="${x + (CELL - IMAGE) / 2}" y="${y + 14}" width="${IMAGE}" height="${height}" href="data:image/png;base64,${file.toString('base64')}"/>` +
    label(name, x + CELL / 2, y + ROW - 32, 14) +
    label(`${report.scannability}, level ${report.level}`, x + CELL / 2, y + ROW - 14, 11)
}
const [width, height] = [COLUMNS * CELL, Math.ceil(Object.keys(designs).length / COLUMNS) * ROW]
const sheet = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><rect width="${width}" height="${height}" fill="#e9ecef"/>${cells}</svg>`
writeFileSync(new URL('designs.png', folder), tools.rasterizer.png(sheet))

// The same data at each level, and in compact form.
for (const level of levels) {
  const job = { text: DATA, design: {}, at: '', format: 'svg' as const, size: 240, level, boost: false }
  writeFileSync(new URL(`level-${level.toLowerCase()}.svg`, folder), (await renderDesign(job, tools)).body)
}
for (const [name, text] of [
  ['usual', 'https://q.example/k7dw3nq?qr=1'],
  ['compact', 'HTTPS://Q.EXAMPLE/K7DW3NQ.Q'],
] as const) {
  const job = { text, design: {}, at: '', format: 'svg' as const, size: 240 }
  writeFileSync(new URL(`${name}.svg`, folder), (await renderDesign(job, tools)).body)
}
