import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../http/problem.ts'
import type { DrawCodeFile, FileImage, Waiting } from '../links/bulk/code-file.ts'
import type { CodeForm } from './code-image.ts'
import type { Design } from './design/schema.ts'
import { createEncodeText } from './matrix.ts'
import { readAppearance } from './options.ts'
import { drawPlain } from './plain.ts'
import type { RenderPool } from './pool/pool.ts'

/** What files of codes need from the rest of the program. */
export interface CodeFileNeeds {
  pool: Pick<RenderPool, 'draw' | 'redraw'>
  /** The text that the QR code of a short link encodes. */
  codeText: (code: string, origin: string, form?: CodeForm) => string
  /** The link of a code; 'gone' when it was deleted, undefined when it never existed. */
  linkOf: (code: string) => Promise<{ id: number } | 'gone' | undefined>
  /** The saved design of a link. */
  designOf: (linkId: number) => Promise<Design | undefined>
}

/** Pixels of width: larger PNGs without a design take the event loop too long. */
const MAX_DRAWN_HERE = 1024
/** Times that an image is tried again while others have the threads, and for how long each wait may be, in seconds. */
const RETRIES = 5
const MAX_WAIT_S = 5

export function createCodeFiles({ pool, codeText, linkOf, designOf }: CodeFileNeeds): DrawCodeFile {
  const encode = createEncodeText()

  /** @throws {Problem} as for the image at its own URL: a retry comes up to a day later */
  async function existing(code: string): Promise<{ id: number }> {
    const link = await linkOf(code)
    if (typeof link !== 'object') throw new Problem('code_gone', 'the link was deleted before its image was drawn')
    return link
  }

  function drawWithoutDesign(text: string, format: 'svg' | 'png', { size = 512, dpi }: FileImage, waiting: Waiting) {
    const appearance = readAppearance({ size, ...(dpi !== undefined && { dpi }) }, format)
    const plain = { text, appearance, options: { level: 'M' } } as const
    if (format === 'svg' || size <= MAX_DRAWN_HERE) return drawPlain(encode, plain)
    return patiently(() => pool.draw(plain, waiting), waiting)
  }

  return async ({ code, origin, hasDesign }, image, waiting) => {
    const { format, size = 512, dpi, millimetres } = image
    const text = codeText(code, origin)
    const { id } = await existing(code)
    const design = hasDesign ? await designOf(id) : undefined
    const isPlain = design === undefined || Object.keys(design).length === 0
    if (isPlain && format !== 'pdf') return (await drawWithoutDesign(text, format, image, waiting)).body
    const ofDesign = design === undefined ? { design: {}, at: '' } : { design, at: '/design', isSaved: true }
    const sizes = { ...(dpi !== undefined && { dpi }), ...(millimetres !== undefined && { millimetres }) }
    const job = { text, format, size, ...ofDesign, ...sizes, isChecked: true } as const
    return (await patiently(() => pool.redraw(job, waiting), waiting)).body
  }
}

/** An archive can wait where a single image is refused. */
async function patiently<T>(draw: () => Promise<T>, { signal }: Waiting): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await draw()
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'unavailable' || tries === RETRIES || signal?.aborted)
        throw error
      const seconds = Math.min(MAX_WAIT_S, Number(error.headers['retry-after'] ?? 1))
      await sleep(seconds * 1000, undefined, { signal }).catch(() => {
        throw error
      })
    }
  }
}
