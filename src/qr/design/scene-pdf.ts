import { deflateSync } from 'node:zlib'
import type { Color } from '../color.ts'
import { box, decimal, fillToPdf, pathToPdf, type Path } from './path.ts'
import { createPdf, endPdf, type PdfFile } from './pdf-file.ts'
import { POINTS_PER_MM, type Drawing } from './sheet-pdf.ts'
import { gradientLine, gradientRadius, type Scene, type Shape } from './scene.ts'
import type { Fill } from './style.ts'

/** The pixels of a logo: red, green, blue and opacity. */
export interface Pixels {
  width: number
  height: number
  rgba: Uint8Array
}

/** The operators that draw a scene, and what they refer to: plain data, which threads can send each other. */
export interface SceneContent {
  content: Buffer
  /** What a file must have for it, in the order in which it is added. */
  objects: NamedObject[]
  showsLogo: boolean
  /** In points. */
  width: number
  height: number
}

/** An object of a file by the name that the content uses. */
interface NamedObject {
  kind: 'ExtGState' | 'Shading'
  name: string
  content: string
}

/**
 * Renders a scene as a PDF of one page, in vectors except for the logo.
 * @param millimetres the width of the code
 * @param logo the pixels of the scene's logo
 * @param arrange draws the page with the code on it; otherwise the page is as large as the code
 */
export function sceneToPdf(
  scene: Scene,
  millimetres: number,
  logo: Pixels | undefined,
  arrange: (pdf: PdfFile, code: Drawing) => Drawing = (_, code) => code,
): Buffer {
  const pdf = createPdf()
  const drawing = drawScene(pdf, scene, millimetres * POINTS_PER_MM, logo && addImage(pdf, encodeImage(logo)))
  const page = arrange(pdf, drawing)
  const media = [0, 0, page.width, page.height]
  return endPdf(pdf, [{ ...page, media }], { title: 'QR code', subject: scene.text })
}

/** @param width in points @param logo that of the scene, which is part of the file */
export function drawScene(pdf: PdfFile, scene: Scene, width: number, logo: EmbeddedImage | undefined): Drawing {
  const drawn = contentOf(scene, width, logo)
  return { content: drawn.content, resources: addResources(pdf, drawn, logo), width, height: drawn.height }
}

/** @param width in points @param logo the size of the scene's logo */
export function contentOf(scene: Scene, width: number, logo: ImageSize | undefined): SceneContent {
  const objects: NamedObject[] = []
  const shownLogo = logo && scene.logo && showImage('Logo', logo, scene.logo)
  const scale = width / scene.width
  const height = scene.height * scale
  const { x, y, scale: module } = scene.symbol
  const paper: Path = []
  box(paper, [0, 0, scene.width, scene.height], [])
  const isBare = scene.background[3] === 0 || scene.frame.length > 0
  const content = [
    // From pixels with the origin in the upper left to points with the origin in the lower left.
    `${decimal(scale)} 0 0 ${decimal(-scale)} 0 ${decimal(height)} cm`,
    ...(isBare ? [] : [fillShape({ path: paper, fill: { color: scene.background }, evenOdd: false }, objects, 0)]),
    ...scene.frame.map((shape) => fillShape(shape, objects, 0)),
    `${module} 0 0 ${module} ${x} ${y} cm`,
    ...scene.shapes.map((shape) => fillShape(shape, objects, scene.symbol.size)),
    ...(shownLogo === undefined ? [] : [shownLogo]),
  ].join('\n')
  return { content: Buffer.from(content, 'latin1'), objects, showsLogo: shownLogo !== undefined, width, height }
}

/** Adds what a content refers to. @returns the entries of its resources */
export function addResources(
  pdf: PdfFile,
  { objects, showsLogo }: Pick<SceneContent, 'objects' | 'showsLogo'>,
  logo: EmbeddedImage | undefined,
): string {
  const added = objects.map(({ kind, name, content }) => ({ kind, entry: `/${name} ${pdf.add(content)}` }))
  const entriesOf = (kind: NamedObject['kind']) => {
    const some = added.filter((each) => each.kind === kind)
    return some.length === 0 ? '' : `/${kind}<<${some.map(({ entry }) => entry).join('')}>>`
  }
  const images = showsLogo && logo ? `/XObject<</Logo ${logo.reference}>>` : ''
  return entriesOf('ExtGState') + entriesOf('Shading') + images
}

function fillShape({ path, fill, evenOdd }: Shape, objects: NamedObject[], size: number): string {
  if (path.length === 0) return ''
  const star = evenOdd ? '*' : ''
  if (!('color' in fill)) {
    return `q\n${pathToPdf(path)}\nW${star} n\n/${nameOf(objects, 'Shading', shadingOf(fill, size))} sh\nQ`
  }
  const state =
    fill.color[3] === 255
      ? ''
      : `/${nameOf(objects, 'ExtGState', `<</ca ${decimal(fill.color[3] / 255)}/CA ${decimal(fill.color[3] / 255)}>>`)} gs\n`
  // Two circles in one another are one with a hole, which strokes cannot draw.
  const filled = evenOdd ? `${pathToPdf(path)}\nf*` : fillToPdf(path)
  return `q\n${state}${inkOf(fill.color)}\n${filled}\nQ`
}

/** Names an object to be added to the file and the resources of the page. */
function nameOf(objects: NamedObject[], kind: NamedObject['kind'], content: string): string {
  const name = `${{ ExtGState: 'A', Shading: 'G' }[kind]}${objects.filter((each) => each.kind === kind).length}`
  objects.push({ kind, name, content })
  return name
}

/** Sets the colour to fill and stroke with: a grey is printed with black ink alone. */
function inkOf(color: Color): string {
  const [red, green, blue] = color
  return red === green && green === blue
    ? `${decimal(red / 255)} g ${decimal(red / 255)} G`
    : `${rgb(color)} rg ${rgb(color)} RG`
}

function rgb([red, green, blue]: Color): string {
  return [red, green, blue].map((part) => decimal(part / 255)).join(' ')
}

/** The shading of a gradient (8.7.4.5). */
function shadingOf(fill: Exclude<Fill, { color: unknown }>, size: number): string {
  const blend = `<</FunctionType 2/Domain[0 1]/C0[${rgb(fill.from)}]/C1[${rgb(fill.to)}]/N 1>>`
  const { x1, y1, x2, y2 } = gradientLine(fill.angle, size)
  const [type, ...numbers] =
    fill.gradient === 'linear'
      ? [2, x1, y1, x2, y2]
      : [3, size / 2, size / 2, 0, size / 2, size / 2, gradientRadius(size)]
  const coords = numbers.map(decimal).join(' ')
  return `<</ShadingType ${type}/ColorSpace/DeviceRGB/Coords[${coords}]/Function${blend}/Extend[true true]>>`
}

/** In pixels. */
export interface ImageSize {
  width: number
  height: number
}

/** An image of a file, which pages may show several times. */
export interface EmbeddedImage extends ImageSize {
  reference: string
}

/** An image as files have it, compressed (RFC 1950): its colours, grey ones with black ink alone, and its opacity unless it is opaque. */
export interface EncodedImage {
  width: number
  height: number
  space: 'DeviceGray' | 'DeviceRGB'
  colors: Uint8Array<ArrayBuffer>
  opacities: Uint8Array<ArrayBuffer> | undefined
}

export function encodeImage({ width, height, rgba }: Pixels): EncodedImage {
  const opacities = channelsOf(rgba, [3])
  const isOpaque = opacities.every((each) => each === 255)
  const isGrey = opacities.every((_, at) => rgba[at * 4] === rgba[at * 4 + 1] && rgba[at * 4] === rgba[at * 4 + 2])
  const colors = channelsOf(rgba, isGrey ? [0] : [0, 1, 2])
  return {
    width,
    height,
    space: isGrey ? 'DeviceGray' : 'DeviceRGB',
    // In buffers of their own, so that they can be transferred between threads.
    colors: new Uint8Array(deflateSync(colors)),
    opacities: isOpaque ? undefined : new Uint8Array(deflateSync(opacities)),
  }
}

/** Some channels of each pixel. `filter` keeps what it finds as a list of numbers, which takes eight times as much. */
function channelsOf(rgba: Uint8Array, channels: readonly number[]): Uint8Array {
  const found = new Uint8Array((rgba.length / 4) * channels.length)
  let to = 0
  for (let at = 0; at < rgba.length; at += 4) {
    for (const channel of channels) found[to++] = rgba[at + channel] ?? 0
  }
  return found
}

/** Adds an image; its opacity is its mask (11.6.5.3). */
export function addImage(pdf: PdfFile, { width, height, space, colors, opacities }: EncodedImage): EmbeddedImage {
  const size = `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/BitsPerComponent 8`
  const mask = opacities === undefined ? '' : `/SMask ${pdf.addCompressed(`${size}/ColorSpace/DeviceGray`, opacities)}`
  return { width, height, reference: pdf.addCompressed(`${size}/ColorSpace/${space}${mask}`, colors) }
}

/** The operators that show an image in a box, in the middle and with its own ratio; the y axis goes down. */
export function showImage(
  name: string,
  { width, height }: ImageSize,
  place: { x: number; y: number; width: number; height: number },
): string {
  const ratio = Math.min(place.width / width, place.height / height)
  const [across, down] = [width * ratio, height * ratio]
  const x = place.x + (place.width - across) / 2
  const y = place.y + (place.height + down) / 2
  return `q\n${[across, 0, 0, -down, x, y].map(decimal).join(' ')} cm\n/${name} Do\nQ`
}
