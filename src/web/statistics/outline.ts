/** Horizontal, vertical. */
export type Point = readonly [x: number, y: number]

export interface View {
  left: number
  top: number
  right: number
  bottom: number
}

/** The rings of a path that `pathOf` has written. */
export function ringsOf(path: string): Point[][] {
  return path
    .split('M')
    .slice(1)
    .map((ring) => {
      let [x, y] = [0, 0]
      const numbers = ring.match(/-?\d+/g)?.map(Number) ?? []
      return Array.from({ length: numbers.length / 2 }, (_, at): Point => {
        x += numbers[2 * at] ?? 0
        y += numbers[2 * at + 1] ?? 0
        return [x, y]
      })
    })
}

/** A ring as SVG path data in whole units; empty for one that has no area in these. */
export function pathOf(ring: readonly Point[]): string {
  const rounded = ring.map(([x, y]): Point => [Math.round(x), Math.round(y)])
  const points = rounded.filter(([x, y], at) => at === 0 || x !== rounded[at - 1]?.[0] || y !== rounded[at - 1]?.[1])
  if (points.at(-1)?.join(' ') === points[0]?.join(' ')) points.pop()
  const [start] = points
  if (start === undefined || points.length < 3) return ''
  let last = start
  const steps = points.slice(1).map((point) => {
    const step = `${point[0] - last[0]} ${point[1] - last[1]}`
    last = point
    return step
  })
  return `M${start.join(' ')}l${steps.join(' ')}z`.replaceAll(' -', '-')
}

/** What of a ring is in a view. */
export function clip(ring: readonly Point[], { left, top, right, bottom }: View): readonly Point[] {
  const isIn = ring.every(([x, y]) => x >= left && x <= right && y >= top && y <= bottom)
  return isIn ? ring : cut(cut(cut(cut(ring, 0, right, 1), 0, left, -1), 1, bottom, 1), 1, top, -1)
}

/**
 * What of a ring is on one side of a line (Sutherland, Hodgman).
 * @param axis 0 for a line at a horizontal place, 1 at a vertical one
 * @param side 1 for what is below the bound, -1 for above
 */
export function cut(ring: readonly Point[], axis: 0 | 1, bound: number, side: 1 | -1): readonly Point[] {
  const isIn = (point: Point) => (point[axis] - bound) * side <= 0
  return ring.flatMap((point, at): Point[] => {
    const before = ring.at(at - 1) ?? point
    if (isIn(point) === isIn(before)) return isIn(point) ? [point] : []
    const part = (bound - before[axis]) / (point[axis] - before[axis])
    const across = before[1 - axis] as number
    const other = across + part * ((point[1 - axis] as number) - across)
    const edge: Point = axis === 0 ? [bound, other] : [other, bound]
    return isIn(point) ? [edge, point] : [edge]
  })
}
