import type { RenderJob } from './job.ts'

/** Estimates how long jobs take to draw, from how long others of their kind have taken on this machine. */
export interface Costs {
  /** In milliseconds. */
  of: (job: RenderJob) => number
  /** To be called when a job is drawn. */
  onDrawn: (job: RenderJob, ms: number) => void
}

/**
 * Milliseconds that a job usually takes, on one of two idle cores: in any case, for each million of pixels, and for each KiB of
 * a drawn logo, whose lines and curves cost more than the pixels.
 */
const usual = {
  plain: { least: 3, perMegapixel: 2, perKib: 0 },
  design: { least: 80, perMegapixel: 100, perKib: 10 },
  /** Of a design that is not read back. */
  drawing: { least: 8, perMegapixel: 60, perKib: 10 },
  /** Of one code; the logo is drawn once for all. */
  check: { least: 4, perMegapixel: 0, perKib: 5 },
  picture: { least: 40, perMegapixel: 0, perKib: 0 },
  /** Of one code, besides the fonts. */
  part: { least: 3, perMegapixel: 0, perKib: 0 },
  sheet: { least: 0.3, perMegapixel: 0, perKib: 0 },
}

/** Milliseconds that the fonts of a file of sheets take, however few its codes are. */
const FONTS = 80
/** Those that a logo takes as large as sheets show it, besides its lines and curves. */
const LOGO_OF_SHEET = 100
/** The share of the last job in the average. */
const WEIGHT = 1 / 8
/** A single job counts for no more than this many times what is usual, nor for less than that part of it. */
const MAX_FACTOR = 8

type Kind = keyof typeof usual

export function createCosts(): Costs {
  /** How many times longer than usual the jobs of each kind take. */
  const factors: Record<Kind, number> = { plain: 1, design: 1, drawing: 1, check: 1, picture: 1, part: 1, sheet: 1 }
  return {
    of: (job) => usualCost(job) * factors[kindOf(job)],
    onDrawn(job, ms) {
      const kind = kindOf(job)
      const factor = Math.min(MAX_FACTOR, Math.max(1 / MAX_FACTOR, ms / usualCost(job)))
      factors[kind] += (factor - factors[kind]) * WEIGHT
    },
  }
}

function usualCost(job: RenderJob): number {
  const { least, perMegapixel, perKib } = usual[kindOf(job)]
  const fonts = kindOf(job) === 'sheet' ? FONTS : 0
  const logo = 'wantsLogo' in job && job.wantsLogo && job.design.logo !== undefined ? LOGO_OF_SHEET : 0
  return fonts + logo + least * codesOf(job) + (perMegapixel * pixelsOf(job)) / 1e6 + (perKib * drawnLogoOf(job)) / 1024
}

function codesOf(job: RenderJob): number {
  if ('texts' in job) return job.texts.length
  if ('part' in job) return job.part.length
  return 'parts' in job ? job.count : 1
}

function kindOf(job: RenderJob): Kind {
  if ('appearance' in job) return 'plain'
  if ('texts' in job) return 'check'
  if ('isChecked' in job) return 'drawing'
  if ('part' in job) return 'part'
  if ('onto' in job) return 'sheet'
  return 'design' in job ? 'design' : 'picture'
}

/** Pixels of the image; none of a vector. */
function pixelsOf(job: RenderJob): number {
  const image = 'appearance' in job ? job.appearance : 'format' in job ? job : undefined
  return image?.format === 'png' ? image.size ** 2 : 0
}

/** Characters of the logo if it is an SVG: what strangers' drawings take is known least. */
export function drawnLogoOf(job: RenderJob): number {
  const image = 'design' in job ? job.design.logo?.image : undefined
  return image?.startsWith('data:image/svg') === true ? image.length : 0
}
