import type { QrSymbol } from './encoder/encoder.ts'

/**
 * Traces the edges of the dark modules as the data of one SVG path, for the fill rule evenodd. An outline has no seams
 * between rows at any zoom, and is smaller than one shape per run of modules.
 *
 * Corners are the points where one of the four modules differs from the others. Edges between them are straight, and
 * cross where two dark modules touch only at a corner. So the corners in a row of points, in pairs, are the ends of
 * horizontal edges, and those in a column the ends of vertical ones; following both alternately returns to the start.
 */
export function traceOutline(symbol: QrSymbol): string {
  const { across, down } = pairCorners(symbol)
  const width = symbol.size + 1
  const seen = new Uint8Array(across.length)
  let path = ''
  let [lastX, lastY] = [0, 0]
  for (let start = 0; start < across.length; start++) {
    if (across[start] === -1 || seen[start] === 1) continue
    const [x, y] = [start % width, Math.floor(start / width)]
    path += moveTo(x, y, lastX, lastY)
    ;[lastX, lastY] = [x, y]
    for (let corner = start; ;) {
      const turn = across[corner] ?? 0
      const next = down[turn] ?? 0
      seen[corner] = seen[turn] = 1
      path += `h${turn - corner}`
      if (next === start) break
      path += `v${(next - turn) / width}`
      corner = next
    }
    path += 'z'
  }
  return path
}

/** Absolute or relative, whichever is shorter. */
function moveTo(x: number, y: number, lastX: number, lastY: number): string {
  const absolute = `M${x} ${y}`
  const relative = `m${x - lastX}${y < lastY ? '' : ' '}${y - lastY}`
  return relative.length < absolute.length ? relative : absolute
}

/** For each point of the grid the other end of its edge, across and down; -1 where there is no corner. */
function pairCorners({ size, modules }: QrSymbol): { across: Int32Array; down: Int32Array } {
  const width = size + 1
  const across = new Int32Array(width * width).fill(-1)
  const down = new Int32Array(width * width).fill(-1)
  const waiting = new Int32Array(width).fill(-1)
  for (let y = 0; y <= size; y++) {
    let [leftAbove, left, open] = [0, 0, -1]
    for (let x = 0; x <= size; x++) {
      const above = x < size && y > 0 ? (modules[(y - 1) * size + x] ?? 0) : 0
      const here = x < size && y < size ? (modules[y * size + x] ?? 0) : 0
      const isCorner = (leftAbove ^ left ^ above ^ here) === 1
      leftAbove = above
      left = here
      if (!isCorner) continue
      const corner = y * width + x
      open = pair(across, open, corner)
      waiting[x] = pair(down, waiting[x] ?? -1, corner)
    }
  }
  return { across, down }
}

/** @returns the corner that is still unpaired, or -1 */
function pair(ends: Int32Array, open: number, corner: number): number {
  if (open === -1) return corner
  ends[open] = corner
  ends[corner] = open
  return -1
}
