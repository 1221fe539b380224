/** The edges of a shape: a list of operations, each with its operands. */
export type Path = number[]

const MOVE = 0
const LINE = 1
const CURVE = 2
const CLOSE = 3
const CIRCLE = 4
const operands = [2, 2, 6, 0, 3]

/** The distance of control points along the tangents of a quarter circle. */
const ROUND = 0.5523

export function moveTo(path: Path, x: number, y: number): void {
  path.push(MOVE, x, y)
}

export function lineTo(path: Path, x: number, y: number): void {
  path.push(LINE, x, y)
}

export function close(path: Path): void {
  path.push(CLOSE)
}

export function circle(path: Path, x: number, y: number, radius: number): void {
  path.push(CIRCLE, x, y, radius)
}

export function curveTo(path: Path, points: readonly [number, number, number, number, number, number]): void {
  path.push(CURVE, ...points)
}

type Point = readonly [x: number, y: number]

/** Adds a polygon with rounded corners; a radius is limited to half of the edge. */
export function polygon(path: Path, corners: readonly (readonly [x: number, y: number, radius: number])[]): void {
  for (const [index, [x, y, radius]] of corners.entries()) {
    const before = corners.at(index - 1) ?? [x, y]
    const after = corners[(index + 1) % corners.length] ?? [x, y]
    const start = towards([x, y], before, radius)
    const end = towards([x, y], after, radius)
    if (index === 0) moveTo(path, ...start)
    else lineTo(path, ...start)
    if (radius > 0) curveTo(path, [...mix(start, [x, y]), ...mix(end, [x, y]), ...end])
  }
  close(path)
}

/** The point at a distance from a corner towards the next one, at most half-way. */
function towards([x, y]: Point, [toX, toY]: readonly number[], distance: number): [number, number] {
  const [byX, byY] = [(toX ?? x) - x, (toY ?? y) - y]
  const length = Math.hypot(byX, byY)
  const share = length === 0 ? 0 : Math.min(distance / length, 0.5)
  return [x + byX * share, y + byY * share]
}

function mix([x, y]: Point, [cornerX, cornerY]: Point): [number, number] {
  return [x + (cornerX - x) * ROUND, y + (cornerY - y) * ROUND]
}

/** Adds a rectangle with a radius for each corner, clockwise from the upper left one. */
export function box(
  path: Path,
  [x, y, width, height]: readonly [number, number, number, number],
  radii: readonly number[],
): void {
  const [topLeft = 0, topRight = topLeft, bottomRight = topLeft, bottomLeft = topRight] = radii
  polygon(path, [
    [x, y, topLeft],
    [x + width, y, topRight],
    [x + width, y + height, bottomRight],
    [x, y + height, bottomLeft],
  ])
}

/** Iterates over the operations of a path. */
function* stepsOf(path: Path): Generator<readonly [step: number, numbers: number[]]> {
  for (let at = 0; at < path.length;) {
    const step = path[at] ?? CLOSE
    const numbers = path.slice(at + 1, at + 1 + (operands[step] ?? 0))
    at += 1 + numbers.length
    yield [step, numbers]
  }
}

/** Converts a path to the data of an SVG path. */
export function pathToSvg(path: Path): string {
  let data = ''
  for (const [step, numbers] of stepsOf(path)) {
    if (step === CLOSE) data += 'z'
    else if (step === CIRCLE) data += circleToSvg(numbers)
    else data += 'MLC'.charAt(step) + join(numbers)
  }
  return data
}

function circleToSvg([x = 0, y = 0, radius = 0]: number[]): string {
  const half = (across: number) => `a${join([radius, radius, 0, 1, 0, across, 0])}`
  return `M${join([x - radius, y])}${half(2 * radius)}${half(-2 * radius)}z`
}

/** Joins numbers of up to three decimals; a minus sign needs no separator. */
function join(numbers: number[]): string {
  let joined = ''
  for (const value of numbers) {
    const text = shortest(String(Math.round(value * 1000) / 1000))
    joined += joined === '' || text.startsWith('-') ? text : ` ${text}`
  }
  return joined
}

/** A number without the zero before its point. An expression took a fifth of the time of a small image. */
function shortest(text: string): string {
  if (text.startsWith('0.')) return text.slice(1)
  return text.startsWith('-0.') ? `-${text.slice(2)}` : text
}

/** Converts a path to the operators of a PDF page (ISO 32000-1, 8.5.2). */
export function pathToPdf(path: Path): string {
  const lines: string[] = []
  for (const [step, numbers] of stepsOf(path)) {
    if (step === CIRCLE) lines.push(...circleToPdf(numbers))
    else lines.push(lineToPdf(step, numbers))
  }
  return lines.join('\n')
}

function lineToPdf(step: number, numbers: number[]): string {
  return `${numbers.map(decimal).join(' ')} ${'mlch'.charAt(step)}`.trim()
}

/**
 * Converts a path to the operators that fill it with the colour of filling and stroking. A circle is a line without a length and with a
 * round end (8.5.3.2), a tenth of its curves: a sheet of a thousand codes of dots has 300,000.
 */
export function fillToPdf(path: Path): string {
  const lines: string[] = []
  const dots = new Map<number, string[]>()
  for (const [step, numbers] of stepsOf(path)) {
    if (step !== CIRCLE) {
      lines.push(lineToPdf(step, numbers))
      continue
    }
    const [x = 0, y = 0, radius = 0] = numbers
    const same = dots.get(radius) ?? []
    if (same.length === 0) dots.set(radius, same)
    const at = `${decimal(x)} ${decimal(y)}`
    same.push(`${at} m ${at} l`)
  }
  const strokes = [...dots].map(([radius, same]) => `1 J ${decimal(2 * radius)} w\n${same.join('\n')}\nS`)
  return [...(lines.length > 0 ? [...lines, 'f'] : []), ...strokes].join('\n')
}

function circleToPdf([x = 0, y = 0, radius = 0]: number[]): string[] {
  const path: Path = []
  box(path, [x - radius, y - radius, 2 * radius, 2 * radius], [radius])
  return [pathToPdf(path)]
}

/** Formats a number for PDF, without an exponent. */
export function decimal(value: number): string {
  return String(Number(value.toFixed(4)))
}
