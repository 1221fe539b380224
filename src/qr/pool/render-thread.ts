// A thread that draws and checks designs, one after the other. It answers refusals as data, to be thrown where they are asked for.
import { giveWay } from '../../lib/background-thread.ts'
import { Problem, type FieldError, type ProblemCode } from '../../http/problem.ts'
import type { DesignedImage, DesignJob } from '../design/job.ts'
import { answerCalls } from '../../lib/thread-calls.ts'
import { drawPlain, type PlainImage, type PlainJob } from '../plain.ts'
import { renderDesign } from './render.ts'
import { openTools } from './tools.ts'

/** What the thread answers. */
export type RenderAnswer =
  | { image: DesignedImage | PlainImage }
  | { problem: { code: ProblemCode; detail: string; errors: FieldError[] }; broken: boolean }
  | { error: unknown; broken: boolean }

giveWay()
const loading = openTools()

async function draw(job: DesignJob | PlainJob): Promise<RenderAnswer> {
  try {
    const tools = await loading
    return { image: 'appearance' in job ? drawPlain(tools.encode, job) : await renderDesign(job, tools) }
  } catch (error) {
    // WebAssembly that has stopped in the middle cannot be relied on again.
    const broken = [error, (error as Error).cause].some((each) => each instanceof Error && each.name === 'RuntimeError')
    if (!(error instanceof Problem)) return { error, broken }
    return { problem: { code: error.code, detail: error.message, errors: error.errors }, broken }
  }
}

/** Moves an image into memory of its own, so that it can be handed over instead of copied. */
function ownBuffer(image: { body: Uint8Array }): ArrayBuffer {
  const { buffer } = (image.body = new Uint8Array(image.body))
  return buffer
}

const calls = { draw }

/** What can be asked of the thread, one job after the other. */
export type RenderCalls = typeof calls

answerCalls(calls, (answer) => ('image' in answer ? [ownBuffer(answer.image)] : []))
