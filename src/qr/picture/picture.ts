import { hex, type Color } from '../color.ts'
import type { Font } from '../design/font.ts'
import { box, circle, pathToSvg, type Path } from '../design/path.ts'
import { drawable, fit, type Fitted } from '../design/fit.ts'

/** The size that messengers and social networks show without cutting. */
export const PICTURE = { width: 1200, height: 630 }

/** A picture that stands for a page where its address is shared. */
export interface PictureJob {
  title: string
  text: string
  initials: string
  /** The short address of the page, in ASCII. */
  address: string
  /** The owner's colour, and the one to write on it. */
  fill: Color
  onFill: Color
}

const paper: Color = [251, 250, 245, 255]
const ink: Color = [20, 35, 28, 255]
const quiet: Color = [81, 95, 87, 255]
const LEFT = 96
const WIDTH = PICTURE.width - 2 * LEFT
const BADGE = { x: LEFT + 76, y: 164, radius: 76 }
/** The height of capitals, as a share of that of letters. */
const CAPITALS = 0.71

/** Draws a picture as SVG. Scripts that the font does not have are left out; the address can always be drawn. */
export function composePicture(job: PictureJob, font: Font): string {
  const { width, height } = PICTURE
  const title = drawable(font, job.title)
  const text = drawable(font, job.text)
  const big = fit(font, title || job.address, { width: WIDTH, lines: 3, heights: [88, 72, 60] })
  const hasRoom = big.lines.length < 3
  const small = fit(font, hasRoom ? text : '', { width: WIDTH, lines: 1, heights: [36] })
  const shapes = [
    shape(rectangle(0, 0, width, height), paper),
    shape(rectangle(0, height - 24, width, 24), job.fill),
    ...badge(job, font),
  ]
  const top = 300
  const below = top + big.lines.length * big.height * 1.1 + 8
  shapes.push(shape(writing(font, big, top), ink), shape(writing(font, small, below), quiet))
  const foot = fit(font, job.address, { width: WIDTH, lines: 1, heights: [32, 24, 16] })
  if (title !== '') shapes.push(shape(writing(font, foot, height - 92), quiet))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${shapes.join('')}</svg>`
}

/** The initials on a disc; without any that can be drawn, the finder pattern of a QR code. */
function badge({ initials, fill, onFill }: PictureJob, font: Font): string[] {
  const { x, y, radius } = BADGE
  const disc: Path = []
  circle(disc, x, y, radius)
  const sign: Path = []
  const text = initials !== '' && font.missing(initials).length === 0 ? initials : ''
  const height = Math.min(84, (radius * 1.5) / Math.max(0.01, font.width(text)))
  if (text === '') drawFinder(sign, x, y)
  else font.draw(sign, text, { x: x - (font.width(text) * height) / 2, y: y + (height * CAPITALS) / 2, height })
  return [shape(disc, fill), shape(sign, onFill, text === '' ? 'evenodd' : 'nonzero')]
}

function drawFinder(path: Path, x: number, y: number): void {
  for (const [half, radius] of [
    [35, 12],
    [25, 6],
    [15, 4],
  ] as const) {
    box(path, [x - half, y - half, 2 * half, 2 * half], [radius])
  }
}

/** Lines from their top downwards. */
function writing(font: Font, { lines, height }: Fitted, top: number): Path {
  const path: Path = []
  for (const [at, line] of lines.entries()) {
    font.draw(path, line, { x: LEFT, y: top + at * height * 1.1 + height * CAPITALS, height })
  }
  return path
}

function rectangle(x: number, y: number, width: number, height: number): Path {
  const path: Path = []
  box(path, [x, y, width, height], [])
  return path
}

function shape(path: Path, color: Color, rule = 'nonzero'): string {
  return `<path fill="${hex(color)}" fill-rule="${rule}" d="${pathToSvg(path)}"/>`
}
