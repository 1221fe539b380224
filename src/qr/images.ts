import { hash } from 'node:crypto'
import { entityTagOf } from '../http/entity-tag.ts'
import { createBoundedCache } from '../lib/bounded-cache.ts'
import type { DesignJob, Report, Scannability } from './design/job.ts'
import type { EncodeOptions } from './encoder/encoder.ts'
import { createEncodeText, type EncodeText, type Level } from './matrix.ts'
import { readLook, type Look } from './options.ts'
import { drawPlain, type PlainImage } from './plain.ts'
import type { RenderPool } from './pool/pool.ts'
import type { Asker } from './pool/queue.ts'

/** An image, ready to be sent. */
export interface Image {
  body: Buffer
  /** Its entity tag (RFC 9110, 8.8.3). */
  tag: string
  level: Level
  /** Where it was looked at: always when it was designed, else when scanners may have trouble with its colours. */
  scannability?: Scannability
}

export interface CheckedImage extends Image {
  report: Report
}

/** Draws QR images. */
export interface Images {
  /**
   * A symbol of two colours, at once; the text must be short.
   * @throws {Problem} 400 when the data or the size do not fit
   */
  plain: (text: string, look: Look, options: EncodeOptions) => Image
  /**
   * The same of any text; a long one is drawn on a thread of its own, and any one while many wait and a thread is free.
   * @throws {Problem} 400 when the data or the size do not fit, 503 when too many are being drawn
   */
  plainOfAny: (text: string, look: Look, options: EncodeOptions, asker?: Asker) => Promise<Image>
  /**
   * A designed one, on a thread of its own, checked; not begun when everyone who asked for it has gone.
   * @throws {Problem} 400 when it cannot be drawn or scanned, 503 when too many are being drawn
   */
  designed: (job: DesignJob, asker?: Asker) => Promise<CheckedImage>
  close: () => Promise<void>
}

/** Characters up to which a symbol takes the event loop a few milliseconds, also the first of its version. */
const MAX_SHORT = 300

/** An image that is being drawn, and how many wait for it. */
interface Drawing {
  image: Promise<CheckedImage>
  waiting: number
  giveUp: () => void
}

/** Bytes of images that are kept, since the same few are asked for again and again. */
const CACHE_BYTES = 8 * 1024 * 1024

/** @param isBusy whether so many images wait that those of any length are drawn on threads as well */
export function createImages(pool: RenderPool, isBusy: () => boolean = () => false): Images {
  const encode = createEncodeText()
  warmUpLater(encode)
  const plain = createBoundedCache<Image>(CACHE_BYTES)
  const designed = createBoundedCache<CheckedImage>(CACHE_BYTES)
  const drawing = new Map<string, Drawing>()

  async function draw(key: string, job: DesignJob, asker: Asker): Promise<CheckedImage> {
    const { body: bytes, ...rest } = await pool.render(job, asker)
    const body = Buffer.from(bytes)
    const image = { ...rest, body, tag: entityTagOf(body) }
    // What has just been drawn must not push out everything else.
    if (body.length < CACHE_BYTES / 8) designed.set(key, image, body.length + 2048)
    return image
  }

  /** Whoever asks for an image that is being drawn waits for that one, in the turn of who asked first. */
  function share(key: string, job: DesignJob, { client, gone }: Asker): Promise<CheckedImage> {
    const known = drawing.get(key)
    const shared = known ?? begin(key, job, client)
    shared.waiting++
    gone?.addEventListener('abort', () => {
      if (--shared.waiting > 0) return
      if (drawing.get(key) === shared) drawing.delete(key)
      shared.giveUp()
    })
    return shared.image
  }

  function begin(key: string, job: DesignJob, client: string | undefined): Drawing {
    const all = new AbortController()
    const image = draw(key, job, { client, gone: all.signal }).finally(() => {
      if (drawing.get(key) === shared) drawing.delete(key)
    })
    const shared = { image, waiting: 0, giveUp: () => all.abort() }
    drawing.set(key, shared)
    return shared
  }

  function keep({ body, level }: PlainImage, key: string, look: Look): Image {
    const file = Buffer.from(body)
    const image = { body: file, tag: entityTagOf(file), level, ...(look.poor && { scannability: 'poor' as const }) }
    plain.set(key, image, file.length + key.length * 2)
    return image
  }

  function drawHere(text: string, look: Look, options: EncodeOptions): Image {
    const key = JSON.stringify([text, look, options])
    return plain.get(key) ?? keep(drawPlain(encode, { text, look, options }), key, look)
  }

  return {
    plain: drawHere,
    async plainOfAny(text, look, options, asker) {
      if (text.length <= MAX_SHORT && !(isBusy() && pool.isFree())) return drawHere(text, look, options)
      const key = JSON.stringify([text, look, options])
      return plain.get(key) ?? keep(await pool.draw({ text, look, options }, asker), key, look)
    },
    async designed(job, asker = {}) {
      const key = hash('sha256', JSON.stringify(job), 'base64')
      return designed.get(key) ?? share(key, job, asker)
    },
    close: pool.close,
  }
}

/** How long after the start of the service images are drawn that nobody has asked for. */
const WARM_UP_MS = 500

/**
 * The first images of a process take ten times as long as the next: most starts are over before anyone waits for one. Each
 * is drawn in a turn of its own, between which requests are answered.
 */
function warmUpLater(encode: EncodeText): void {
  const text = 'Short links; QR codes! '.repeat(MAX_SHORT).slice(0, MAX_SHORT)
  const draws = (['png', 'svg'] as const).flatMap((format) =>
    [MAX_SHORT / 10, MAX_SHORT].map((length) => ({
      text: text.slice(0, length),
      look: readLook({ size: 1024 }, format),
      options: { level: 'M' } as const,
    })),
  )
  draws.forEach((draw, index) => setTimeout(() => drawPlain(encode, draw), WARM_UP_MS + index * 20).unref())
}
