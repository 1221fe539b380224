import { contrast, GOOD_CONTRAST } from '../color.ts'
import type { Report, Scannability } from '../design/job.ts'
import type { Marked } from '../design/logo-place.ts'
import { coversAlignment } from '../design/shapes.ts'
import { colorsOf, leastContrast, type Style } from '../design/style.ts'
import type { Grade, Step } from './ladder.ts'

/** A module that phones tell from its neighbours at arm's length, by how well the image passed. */
const MODULE_MM: Record<Scannability, number> = { excellent: 0.4, good: 0.5, fair: 0.65, poor: 0.8 }
/** Nothing smaller is worth printing: people do not see that it is there. */
const LEAST_MM = 15
/** Phones read a code from about ten times its width. */
const DISTANCE_TO_WIDTH = 10

/** Some decoders miss images of fewer pixels a module, narrower quiet zones and weaker colours that others read. */
const SURE_SCALE = 4
const SURE_MARGIN = 2
const SURE_CONTRAST = 4.5

/** How an image fared. */
interface Tested {
  grade: Grade
  steps: Step[]
  /** Pixels of a module, where it has pixels. */
  scale?: number
}

/** Sums up what is known of an image that has passed. */
export function reportOf({ symbol, hole, damage }: Marked, style: Style, { grade, steps, scale }: Tested): Report {
  const fills = [style.ink, style.eyeFrameInk, style.eyeBallInk]
  const ratio = Math.min(...fills.map((fill) => leastContrast(fill, style.background)))
  const inverted = fills.some((fill) => colorsOf(fill).some((color) => contrast(color, style.background).inverted))
  const covers = coversAlignment(symbol, hole)
  const hasPixels = scale === undefined || scale >= SURE_SCALE
  const isSure = !covers && hasPixels && style.margin >= SURE_MARGIN && ratio >= SURE_CONTRAST
  const scannability = inverted || ratio < GOOD_CONTRAST ? 'poor' : isSure ? grade : 'fair'
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
