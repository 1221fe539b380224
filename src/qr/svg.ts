import type { Color } from './color.ts'
import type { Matrix } from './matrix.ts'
import { place, type Look } from './options.ts'

/** An SVG whose dark modules are one path, in module units, placed on whole pixels. */
export function renderSvg(matrix: Matrix, look: Look): string {
  const { size, background, foreground } = look
  const { scale, offset } = place(matrix.length, look)
  const paper = background[3] === 0 ? '' : `<rect width="${size}" height="${size}" ${fill(background)}/>`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${size} ${size}" ` +
    `shape-rendering="crispEdges">${paper}` +
    `<path ${fill(foreground)} transform="translate(${offset} ${offset}) scale(${scale})" d="${outline(matrix)}"/></svg>\n`
  )
}

/** One rectangle for each run of dark modules in a row. */
function outline(matrix: Matrix): string {
  let path = ''
  for (const [y, row] of matrix.entries()) {
    for (let x = 0; x < row.length; x++) {
      if (!row[x]) continue
      const start = x
      while (row[x + 1]) x++
      path += `M${start} ${y}h${x + 1 - start}v1H${start}z`
    }
  }
  return path
}

function fill([red, green, blue, alpha]: Color): string {
  const hex = [red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')
  const opacity = alpha === 255 ? '' : ` fill-opacity="${Number((alpha / 255).toFixed(4))}"`
  return `fill="#${hex}"${opacity}`
}
