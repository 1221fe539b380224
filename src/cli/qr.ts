import { readFileSync, writeFileSync } from 'node:fs'
import { extname } from 'node:path'
import { JsonError, parseStrictJson } from '../lib/strict-json.ts'
import { StartError } from '../lib/start-error.ts'
import { Problem } from '../http/problem.ts'
import type { Scannability } from '../qr/check/report.ts'
import { readDesignRequest } from '../qr/design-request.ts'
import { createEncodeText } from '../qr/matrix.ts'
import { drawPlain, plainOf, type PlainImage } from '../qr/plain.ts'
import { createRenderPool } from '../qr/pool/pool.ts'
import { renderTerminal } from '../qr/terminal.ts'
import type { CommandContext, Command } from './command.ts'

const MARGIN = 4

export const qr: Command = {
  name: 'qr',
  usage: '<data>',
  summary: 'draw a QR code in the terminal or to a file; needs no running service',
  options: {
    out: { type: 'string', doc: 'the output file: .png, .svg or .pdf' },
    size: { type: 'string', doc: 'the width in pixels [512]' },
    width: { type: 'string', doc: 'the width of a PDF in millimetres [50]' },
    ecl: { type: 'string', doc: 'the minimum error-correction level: L, M, Q or H [M]' },
    design: { type: 'string', doc: 'a JSON file with a design in the format of POST /api/qr' },
  },
  async run(context) {
    const [data, ...more] = context.args
    if (data === undefined || more.length > 0) {
      throw new StartError('give the data as one argument, in quotes if it contains spaces')
    }
    // Node replaces invalid UTF-8: the code would encode something else than the operator typed.
    if (data.includes('\ufffd')) throw new StartError('the data must be UTF-8')
    try {
      const { out } = context.flags
      return typeof out === 'string' ? await writeImage(context, data, out) : drawHere(context, data)
    } catch (error) {
      if (error instanceof Problem)
        throw new StartError(error.message.replace(/^\/(?:design\/)?/, ''), { cause: error })
      throw error
    }
  },
}

function drawHere({ flags }: CommandContext, data: string): string {
  const foreign = ['size', 'width', 'design'].find((name) => flags[name] !== undefined)
  if (foreign !== undefined) throw new StartError(`--${foreign} needs an image file: add --out`)
  const { text, level } = readDesignRequest({ data, ...ecl(flags['ecl']) })
  return renderTerminal(createEncodeText()(text, { level: level ?? 'M' }), MARGIN)
}

async function writeImage({ flags }: CommandContext, data: string, out: string): Promise<string> {
  const format = extname(out).slice(1).toLowerCase()
  if (!['png', 'svg', 'pdf'].includes(format)) throw new StartError(`--out=${out} must end in .png, .svg or .pdf`)
  if (flags['width'] !== undefined && format !== 'pdf')
    throw new StartError('--width is only for a .pdf; use --size for the pixels of other images')
  const job = readDesignRequest({
    data,
    format,
    ...ecl(flags['ecl']),
    ...number('size', flags['size']),
    ...number('width_mm', flags['width']),
    ...(typeof flags['design'] === 'string' && { design: readJsonFile(flags['design']) }),
  })
  // Nobody waits behind this image, and a busy machine draws slowly; its CPU time is bounded all the same.
  const pool = createRenderPool({ timeout: 60_000 })
  try {
    const plain = plainOf(job)
    const image: PlainImage & { scannability?: Scannability } =
      plain === undefined ? await pool.render(job) : drawPlain(createEncodeText(), plain)
    writeFileSync(out, image.body)
    const grade = image.scannability ? `, scannability ${image.scannability}` : ''
    return `${out}: ${image.body.length} bytes, level ${image.level}${grade}`
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      throw new StartError(`--out=${out}: ${error.message}`, { cause: error })
    throw error
  } finally {
    await pool.close()
  }
}

function ecl(flag: unknown): { ecl?: string } {
  return typeof flag === 'string' ? { ecl: flag.toUpperCase() } : {}
}

/** Parses a decimal number; any other text is passed on, and the schema refuses it. */
function number(name: string, flag: unknown): Record<string, unknown> {
  if (typeof flag !== 'string') return {}
  return { [name]: /^\d+(?:\.\d+)?$/.test(flag) ? Number(flag) : flag }
}

function readJsonFile(file: string): unknown {
  try {
    // Windows editors prepend a byte order mark.
    return parseStrictJson(readFileSync(file, 'utf8').replace(/^\ufeff/, ''))
  } catch (error) {
    if (!(error instanceof JsonError) && !(error instanceof Error && 'syscall' in error)) throw error
    throw new StartError(`--design=${file}: ${error.message.replace('the body', 'the file')}`, { cause: error })
  }
}
