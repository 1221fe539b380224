import type { Color } from '../color.ts'
import { box, decimal, pathToPdf, type Path } from './path.ts'
import { createPdf, pdfText, type PdfFile } from './pdf-file.ts'
import { POINTS_PER_MM, type Drawing } from './sheet-pdf.ts'
import { gradientLine, gradientRadius, type Scene, type Shape } from './scene.ts'
import type { Fill } from './style.ts'

/** The pixels of a logo: red, green, blue and opacity. */
export interface Pixels {
  width: number
  height: number
  rgba: Uint8Array
}

/** Resources of a page by the names that its content uses. */
interface Resources {
  states: Map<string, string>
  shadings: Map<string, string>
  images: Map<string, string>
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
  const drawing = drawScene(pdf, scene, millimetres * POINTS_PER_MM, logo)
  const page = arrange(pdf, drawing)
  const stream = pdf.addStream('', page.content)
  // The page tree and the page refer to each other, so the number of the page must be known before it is written.
  const pages = pdf.add(`<</Type/Pages/Count 1/Kids[${Number.parseInt(stream, 10) + 2} 0 R]>>`)
  const media = `[0 0 ${decimal(page.width)} ${decimal(page.height)}]`
  pdf.add(`<</Type/Page/Parent ${pages}/MediaBox${media}/Contents ${stream}/Resources${page.resources}>>`)
  const info = pdf.add(`<</Title ${pdfText('QR code')}/Subject ${pdfText(scene.text)}>>`)
  return pdf.end(pdf.add(`<</Type/Catalog/Pages ${pages}>>`), info)
}

/** @param width in points */
function drawScene(pdf: PdfFile, scene: Scene, width: number, logo: Pixels | undefined): Drawing {
  const used: Resources = { states: new Map(), shadings: new Map(), images: new Map() }
  const scale = width / scene.width
  const height = scene.height * scale
  const { x, y, scale: module } = scene.symbol
  const paper: Path = []
  box(paper, [0, 0, scene.width, scene.height], [])
  const isBare = scene.background[3] === 0 || scene.frame.length > 0
  const content = [
    // From pixels with the origin in the upper left to points with the origin in the lower left.
    `${decimal(scale)} 0 0 ${decimal(-scale)} 0 ${decimal(height)} cm`,
    ...(isBare ? [] : [fillShape({ path: paper, fill: { color: scene.background }, evenOdd: false }, pdf, used, 0)]),
    ...scene.frame.map((shape) => fillShape(shape, pdf, used, 0)),
    `${module} 0 0 ${module} ${x} ${y} cm`,
    ...scene.shapes.map((shape) => fillShape(shape, pdf, used, scene.symbol.size)),
    ...(scene.logo && logo ? [placeImage(scene.logo, logo, pdf, used)] : []),
  ].join('\n')
  const list = (map: Map<string, string>) => [...map].map(([name, reference]) => `/${name} ${reference}`).join('')
  const resources = `<</ExtGState<<${list(used.states)}>>/Shading<<${list(used.shadings)}>>/XObject<<${list(used.images)}>>>>`
  return { content: Buffer.from(content, 'latin1'), resources, width, height }
}

function fillShape({ path, fill, evenOdd }: Shape, pdf: PdfFile, used: Resources, size: number): string {
  if (path.length === 0) return ''
  const star = evenOdd ? '*' : ''
  if (!('color' in fill)) {
    return `q\n${pathToPdf(path)}\nW${star} n\n/${nameOf(used.shadings, 'G', shadingOf(fill, size), pdf)} sh\nQ`
  }
  const state =
    fill.color[3] === 255 ? '' : `/${nameOf(used.states, 'A', `<</ca ${decimal(fill.color[3] / 255)}>>`, pdf)} gs\n`
  return `q\n${state}${rgb(fill.color)} rg\n${pathToPdf(path)}\nf${star}\nQ`
}

/** Adds an object to the file and the resources of the page. */
function nameOf(map: Map<string, string>, letter: string, content: string, pdf: PdfFile): string {
  const name = `${letter}${map.size}`
  map.set(name, pdf.add(content))
  return name
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

/** Adds a logo: one image of its colours, with one of its opacity as the mask (11.6.5.3). */
function placeImage(
  place: NonNullable<Scene['logo']>,
  { width, height, rgba }: Pixels,
  pdf: PdfFile,
  used: Resources,
): string {
  const colors = Buffer.alloc(width * height * 3)
  const opacities = Buffer.alloc(width * height)
  for (let at = 0; at < opacities.length; at++) {
    colors.set(rgba.subarray(at * 4, at * 4 + 3), at * 3)
    opacities[at] = rgba[at * 4 + 3] ?? 0
  }
  const size = `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/BitsPerComponent 8`
  const mask = pdf.addStream(`${size}/ColorSpace/DeviceGray`, opacities)
  used.images.set('Logo', pdf.addStream(`${size}/ColorSpace/DeviceRGB/SMask ${mask}`, colors))
  // Keeps the aspect ratio, centred.
  const ratio = Math.min(place.width / width, place.height / height)
  const [across, down] = [width * ratio, height * ratio]
  const x = place.x + (place.width - across) / 2
  const y = place.y + (place.height + down) / 2
  return `q\n${[across, 0, 0, -down, x, y].map(decimal).join(' ')} cm\n/Logo Do\nQ`
}
