// A thread that draws and checks images. It returns refusals as data, which the pool throws.
import { workerData } from 'node:worker_threads'
import { lowerPriority } from '../../lib/background-thread.ts'
import { invalidRequest, Problem } from '../../http/problem.ts'
import { answerCalls } from '../../lib/thread-calls.ts'
import { composePicture } from '../picture/picture.ts'
import { drawCalibration } from '../print/draw-calibration.ts'
import { drawPart, type PartTools } from '../print/draw-part.ts'
import { drawSheet } from '../print/draw-sheet.ts'
import type { PrintFonts } from '../print/fonts.ts'
import type { CalibrationJob, SheetJob, SheetPartJob } from '../print/sheet-job.ts'
import { drawPlain } from '../plain.ts'
import { checkCodes } from './check.ts'
import { toRefusal } from './job.ts'
import type { CodeFaults, DrawnImage, PartImage, Refusal, RenderJob } from './job.ts'
import { renderChecked, renderDesign } from './render.ts'
import { isTrap } from './raster.ts'
import { openTools, type Tools } from './tools.ts'

/** What a thread is started with. */
export interface ThreadData {
  rendererBytes: number | undefined
}

export type RenderAnswer =
  /** And the milliseconds that it took, without the start of the thread. */
  | { image: DrawnImage | CodeFaults; ms: number }
  | { problem: Refusal; broken: boolean }
  | { error: unknown; broken: boolean }

lowerPriority()
const loading = openTools((workerData as ThreadData).rendererBytes)

async function drawJob(job: RenderJob, tools: Tools): Promise<DrawnImage | CodeFaults> {
  if ('texts' in job) return checkCodes(job, tools)
  if ('part' in job) return drawPartOf(job, { ...tools, fontOf: await tools.printFonts() })
  if ('onto' in job) return { body: drawPrinted(job, await tools.printFonts()) }
  if ('appearance' in job) return drawPlain(tools.encode, job)
  if ('isChecked' in job) return renderChecked(job, tools)
  if ('design' in job) return renderDesign(job, tools)
  return { body: tools.rasterizer.png(composePicture(job, tools.font)) }
}

function drawPartOf(job: SheetPartJob, tools: PartTools): PartImage {
  const { body, faults } = drawPart(job, tools)
  return { body, faults: faults.map((fault) => fault && toRefusal(fault)) }
}

function drawPrinted(job: SheetJob | CalibrationJob, fontOf: PrintFonts): Uint8Array {
  return 'parts' in job ? drawSheet(job, fontOf) : drawCalibration(job.onto, fontOf)
}

async function draw(job: RenderJob): Promise<RenderAnswer> {
  try {
    const tools = await loading
    const began = performance.now()
    const image = await drawJob(job, tools)
    return { image, ms: performance.now() - began }
  } catch (error) {
    const broken = isTrap(error) || isTrap((error as Error).cause)
    const problem = error instanceof Problem ? error : broken ? tooLarge(job) : undefined
    return problem ? { problem: toRefusal(problem), broken } : { error, broken }
  }
}

/** The problem of a logo for which the renderer has not enough memory. */
function tooLarge(job: RenderJob): Problem | undefined {
  if (!('design' in job) || job.design.logo === undefined) return undefined
  return invalidRequest([
    { pointer: `${job.at}/logo/image`, detail: 'takes too much memory to draw: it must be simpler' },
  ])
}

/** Moves an image to a buffer of its own, so that it can be transferred instead of copied. */
function transferable(image: DrawnImage | CodeFaults): ArrayBuffer[] {
  if ('body' in image) return [(image.body = new Uint8Array(image.body)).buffer]
  return [image.logo?.colors, image.logo?.opacities].flatMap((part) => part?.buffer ?? [])
}

const calls = { draw }

export type RenderCalls = typeof calls

answerCalls(calls, (answer) => ('image' in answer ? transferable(answer.image) : []))
