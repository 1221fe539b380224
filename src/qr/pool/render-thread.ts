// A thread that draws and checks images. It returns refusals as data, which the pool throws.
import { lowerPriority } from '../../lib/background-thread.ts'
import { Problem, type FieldError, type ProblemCode } from '../../http/problem.ts'
import type { DesignedImage, DesignJob } from '../design/job.ts'
import { answerCalls } from '../../lib/thread-calls.ts'
import { drawPlain, type PlainImage, type PlainJob } from '../plain.ts'
import { renderDesign } from './render.ts'
import { openTools } from './tools.ts'

export type RenderAnswer =
  | { image: DesignedImage | PlainImage }
  | { problem: { code: ProblemCode; detail: string; errors: FieldError[] }; broken: boolean }
  | { error: unknown; broken: boolean }

lowerPriority()
const loading = openTools()

async function draw(job: DesignJob | PlainJob): Promise<RenderAnswer> {
  try {
    const tools = await loading
    return { image: 'appearance' in job ? drawPlain(tools.encode, job) : await renderDesign(job, tools) }
  } catch (error) {
    // A WebAssembly module that has trapped is in an undefined state.
    const broken = [error, (error as Error).cause].some((each) => each instanceof Error && each.name === 'RuntimeError')
    if (!(error instanceof Problem)) return { error, broken }
    return { problem: { code: error.code, detail: error.message, errors: error.errors }, broken }
  }
}

/** Moves an image to a buffer of its own, so that it can be transferred instead of copied. */
function transferable(image: { body: Uint8Array }): ArrayBuffer {
  const { buffer } = (image.body = new Uint8Array(image.body))
  return buffer
}

const calls = { draw }

export type RenderCalls = typeof calls

answerCalls(calls, (answer) => ('image' in answer ? [transferable(answer.image)] : []))
