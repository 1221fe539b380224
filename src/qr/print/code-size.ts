import { LEAST_MODULE_MM } from '../printed-size.ts'
import type { Template } from './template.ts'

export interface CodeShape {
  /** Its height by its width. */
  ratio: number
  /** Modules from edge to edge, of which `quiet` more must stay empty on each side. */
  columns: number
  quiet: number
}

/** Of a code in a square of this side: its width with its quiet zone, and that of a module, all in millimetres. */
export function sizeInSquare({ ratio, columns, quiet }: CodeShape, side: number): { width: number; module: number } {
  const width = side / Math.max(1, ratio)
  return { width, module: width / (columns + 2 * quiet) }
}

/** The width that a code needs, with its quiet zone, in whole millimetres. */
export function leastWidth({ columns, quiet }: CodeShape): number {
  return Math.ceil((columns + 2 * quiet) * LEAST_MODULE_MM - 1e-9)
}

/** The side of the square that a template has for a code where texts leave all the room: in millimetres. */
export function largestSquare({ arrangement, code: [largest], height, edge, folds }: Template): number {
  const [first, middle] = folds
  const face = first === undefined || middle === undefined ? height : middle - first
  return arrangement === 'stack' ? largest : Math.min(largest, face - 2 * edge)
}
