/** A point where an edge turns around the one module at the point whose colour differs. */
export interface Corner {
  x: number
  y: number
  /** Whether the edge turns around a dark module and not around a light one. */
  convex: boolean
  /** Which corner of that module it is. */
  of: 'topLeft' | 'topRight' | 'bottomRight' | 'bottomLeft'
}

/** Right, down, left, up: the directions in which edges run, with dark modules on their right. */
const steps = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
] as const
const corners = ['topRight', 'bottomRight', 'bottomLeft', 'topLeft'] as const

/**
 * The edges of all dark modules as closed loops of corners. Modules that touch only at a corner stay separate.
 * @param isDark whether a module is dark; false outside the symbol
 */
export function traceLoops(size: number, isDark: (x: number, y: number) => boolean): Corner[][] {
  const loops: Corner[][] = []
  const seen = new Uint8Array(size * size)
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      // The upper edge of a dark module below a light one belongs to just one loop.
      if (!isDark(x, y) || isDark(x, y - 1) || seen[y * size + x] === 1) continue
      loops.push(follow({ x, y, direction: 0 }, isDark, (column, row) => void (seen[row * size + column] = 1)))
    }
  }
  return loops
}

/** A point of the grid, and the direction in which the edge continues. */
interface Edge {
  x: number
  y: number
  direction: number
}

function follow(start: Edge, isDark: (x: number, y: number) => boolean, see: (x: number, y: number) => void): Corner[] {
  const loop: Corner[] = []
  let { x, y, direction } = start
  do {
    if (direction === 0) see(x, y)
    const [byX, byY] = steps[direction as 0]
    x += byX
    y += byY
    // The two modules ahead: on the right of the edge, and on its left.
    const [aheadRight, aheadLeft] = ahead(x, y, direction).map(([column, row]) => isDark(column, row))
    if (!aheadRight) {
      loop.push({ x, y, convex: true, of: corners[direction as 0] })
      direction = (direction + 1) % 4
    } else if (aheadLeft) {
      // The edge turns around the light module on the left, of which this is the opposite corner.
      loop.push({ x, y, convex: false, of: corners[((direction + 1) % 4) as 0] })
      direction = (direction + 3) % 4
    }
  } while (x !== start.x || y !== start.y || direction !== start.direction)
  return loop
}

/** The modules ahead of a point, on the right and on the left of the direction. */
function ahead(x: number, y: number, direction: number): (readonly [x: number, y: number])[] {
  const around = [
    [x, y],
    [x - 1, y],
    [x - 1, y - 1],
    [x, y - 1],
  ] as const
  return [around[direction as 0], around[((direction + 3) % 4) as 0]]
}
