import { hex, opacity } from '../color.ts'
import { escapeXml } from '../xml.ts'
import type { Logo } from '../logo/logo.ts'
import { box, pathToSvg } from './path.ts'
import { gradientLine, gradientRadius, type Scene, type Shape } from './scene.ts'
import type { Fill } from './style.ts'

/** Renders a scene as an SVG without scripts and external references; a PNG or JPEG logo is embedded as data. */
export function sceneToSvg(scene: Scene): string {
  const { width, height, symbol } = scene
  const gradients = [...new Set(scene.shapes.map(({ fill }) => gradientToSvg(fill, symbol.size)))].join('')
  const paper = { path: [], fill: { color: scene.background }, evenOdd: false }
  box(paper.path, [0, 0, width, height], [])
  const isBare = scene.background[3] === 0 || scene.frame.length > 0
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">` +
    `<title>QR code</title><desc>${escapeXml(scene.text)}</desc>` +
    (gradients === '' ? '' : `<defs>${gradients}</defs>`) +
    (isBare ? '' : shapeToSvg(paper)) +
    scene.frame.map(shapeToSvg).join('') +
    `<g transform="translate(${symbol.x} ${symbol.y})scale(${symbol.scale})">` +
    scene.shapes.map(shapeToSvg).join('') +
    (scene.logo === undefined ? '' : logoToSvg(scene.logo)) +
    '</g></svg>\n'
  )
}

/** A part of an image: its SVG, and where its pixels are. */
export interface ScenePart {
  svg: string
  left: number
  top: number
  width: number
  height: number
}

/** The logo of a scene alone, in the whole pixels that it touches. */
export interface LogoPart extends ScenePart {
  /** The edges of the box that cuts it off, in pixels; undefined where nothing reaches out of it. */
  cutTo: { left: number; top: number; right: number; bottom: number } | undefined
}

/**
 * A scene without its logo, and the logo. The renderer has the layers of a logo in memory whole, however few of their pixels an
 * image shows: it draws them once, for themselves.
 */
export function scenePartsOf(scene: Scene): { code: ScenePart; logo: LogoPart | undefined } {
  const { width, height, logo } = scene
  const code = { svg: sceneToSvg({ ...scene, logo: undefined }), left: 0, top: 0, width, height }
  return { code, logo: logo && logoPart(logo, scene.symbol) }
}

function logoPart(logo: NonNullable<Scene['logo']>, symbol: Scene['symbol']): LogoPart {
  const [x, y] = [symbol.x + logo.x * symbol.scale, symbol.y + logo.y * symbol.scale]
  const edges = { left: x, top: y, right: x + logo.width * symbol.scale, bottom: y + logo.height * symbol.scale }
  const [left, top] = [Math.floor(edges.left), Math.floor(edges.top)]
  const [width, height] = [Math.ceil(edges.right) - left, Math.ceil(edges.bottom) - top]
  const isDrawing = logo.image.type === 'svg'
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${left} ${top} ${width} ${height}">` +
    `<g transform="translate(${symbol.x} ${symbol.y})scale(${symbol.scale})">` +
    // The pixels cut it off: the renderer would need a layer and a clip path of all that reaches out of its box.
    `${logoToSvg(logo, isDrawing ? ' overflow="visible"' : '')}</g></svg>`
  return { svg, left, top, width, height, cutTo: isDrawing ? edges : undefined }
}

function shapeToSvg({ path, fill, evenOdd }: Shape): string {
  const rule = evenOdd ? ' fill-rule="evenodd"' : ''
  if (!('color' in fill)) return `<path fill="url(#${gradientId(fill)})"${rule} d="${pathToSvg(path)}"/>`
  const alpha = fill.color[3] === 255 ? '' : ` fill-opacity="${opacity(fill.color)}"`
  return `<path fill="${hex(fill.color)}"${alpha}${rule} d="${pathToSvg(path)}"/>`
}

type Gradient = Exclude<Fill, { color: unknown }>

/** An id by content, so that two images on one page do not use each other's gradients. */
function gradientId({ gradient, from, to, angle }: Gradient): string {
  return `qr-${gradient}-${angle}-${hex(from).slice(1)}-${hex(to).slice(1)}`
}

function gradientToSvg(fill: Fill, size: number): string {
  if ('color' in fill) return ''
  const stops = `<stop stop-color="${hex(fill.from)}"/><stop offset="1" stop-color="${hex(fill.to)}"/>`
  const start = `id="${gradientId(fill)}" gradientUnits="userSpaceOnUse"`
  if (fill.gradient === 'radial') {
    const middle = size / 2
    const place = `cx="${middle}" cy="${middle}" r="${round(gradientRadius(size))}"`
    return `<radialGradient ${start} ${place}>${stops}</radialGradient>`
  }
  const { x1, y1, x2, y2 } = gradientLine(fill.angle, size)
  const place = `x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"`
  return `<linearGradient ${start} ${place}>${stops}</linearGradient>`
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}

function logoToSvg({ image, x, y, width, height }: NonNullable<Scene['logo']>, overflow = ''): string {
  return placedLogo(
    image,
    `x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"${overflow}`,
  )
}

export function placedLogo(image: Logo, place: string): string {
  if (image.type === 'svg') return `<svg ${place} ${image.markup}`
  const href = `href="data:image/${image.type};base64,${image.base64}"`
  if (image.orientation === 1) return `<image ${place} ${href}/>`
  const { width, height } = image
  const turned = image.orientation >= 5 ? `${height} ${width}` : `${width} ${height}`
  const upright = `transform="matrix(${turns[image.orientation]?.(width, height).join(' ')})"`
  return `<svg ${place} viewBox="0 0 ${turned}"><image width="${width}" height="${height}" ${upright} ${href}/></svg>`
}

/** For each orientation, the matrix that turns an image of that width and height upright. */
const turns: Record<number, (width: number, height: number) => number[]> = {
  2: (width) => [-1, 0, 0, 1, width, 0],
  3: (width, height) => [-1, 0, 0, -1, width, height],
  4: (_, height) => [1, 0, 0, -1, 0, height],
  5: () => [0, 1, 1, 0, 0, 0],
  6: (_, height) => [0, 1, -1, 0, height, 0],
  7: (width, height) => [0, -1, -1, 0, height, width],
  8: (width) => [0, -1, 1, 0, 0, width],
}

/** An SVG of the logo alone. A bitmap is stretched to whole pixels, so that it also fills the last row; a drawing is cut off by the pixels. */
export function logoAlone(image: Logo, width: number): string {
  const height = Math.max(1, Math.round(width / image.ratio))
  const size = `width="${width}" height="${height}"`
  const whole = image.type === 'svg' ? ' overflow="visible"' : ' preserveAspectRatio="none"'
  const place = `x="0" y="0" ${size}${whole}`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${width} ${height}">${placedLogo(image, place)}</svg>`
}
