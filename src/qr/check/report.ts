import { isPoor } from '../color.ts'
import type { Level } from '../encoder/tables.ts'
import type { SymbolWithLogo } from '../design/logo-placement.ts'
import { coversAlignment } from '../design/shapes.ts'
import { inkContrast, type Style } from '../design/style.ts'
import { DISTANCE_TO_WIDTH, LEAST_MODULE_MM } from '../printed-size.ts'
import type { Grade, Step } from './stress-test.ts'

/** How well an image scans. `poor` is light on dark, or of low contrast. */
export type Scannability = 'excellent' | 'good' | 'fair' | 'poor'

/** A report on how an image scans and prints. */
export interface Report {
  scannability: Scannability
  version: number
  modules: number
  level: Level
  /** The lowest contrast ratio in the image (WCAG 2), 1 to 21. */
  contrast_ratio: number
  inverted: boolean
  /** Modules of quiet zone; the standard requires 4. */
  quiet_zone: number
  /** Of the codewords that error correction can restore, the share that the logo covers. */
  logo_correction_used: number
  /** Whether the logo covers an alignment pattern, by which some decoders locate the modules around it. */
  logo_on_alignment: boolean
  print: {
    /** The smallest width to print, quiet zone included. */
    smallest_mm: number
    /** The distance from which a phone reads it at that width. */
    distance_mm: number
  }
  checks: Step[]
}

/** The size of a module that phones resolve at arm's length, by scannability. */
const MODULE_MM: Record<Scannability, number> = { excellent: LEAST_MODULE_MM, good: 0.5, fair: 0.65, poor: 0.8 }
/** Nobody notices smaller codes. */
const LEAST_MM = 15

/** Below these, some decoders fail at images that others read: pixels of a module, modules of quiet zone, contrast. */
const SURE_SCALE = 4
const SURE_MARGIN = 2
const SURE_CONTRAST = 4.5

/** The result of the stress test. */
interface Tested {
  grade: Grade
  steps: Step[]
  /** Pixels of a module, where it has pixels. */
  scale?: number
}

/** Creates the report of an image that can be read. */
export function createReport(
  { symbol, hole, damage }: SymbolWithLogo,
  style: Style,
  { grade, steps, scale }: Tested,
): Report {
  const worst = inkContrast(style)
  const { ratio, inverted } = worst
  const covers = coversAlignment(symbol, hole)
  const hasPixels = scale === undefined || scale >= SURE_SCALE
  const isSure = !covers && hasPixels && style.margin >= SURE_MARGIN && ratio >= SURE_CONTRAST
  const scannability = isPoor(worst) ? 'poor' : isSure ? grade : 'fair'
  const columns = symbol.size + 2 * Math.max(4, style.margin)
  const smallest = Math.max(LEAST_MM, Math.ceil(columns * MODULE_MM[scannability]))
  return {
    scannability,
    version: symbol.version,
    modules: symbol.size,
    level: symbol.level,
    contrast_ratio: Math.round(ratio * 100) / 100,
    inverted,
    quiet_zone: style.margin,
    logo_correction_used: Math.round(damage * 100) / 100,
    logo_on_alignment: covers,
    print: { smallest_mm: smallest, distance_mm: smallest * DISTANCE_TO_WIDTH },
    checks: steps,
  }
}
