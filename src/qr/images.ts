import { hash } from 'node:crypto'
import { entityTagOf } from '../http/entity-tag.ts'
import { createBoundedCache } from '../lib/bounded-cache.ts'
import { ownBuffer } from '../lib/own-buffer.ts'
import { createSharedWork } from '../lib/shared-work.ts'
import type { Scannability } from './check/report.ts'
import type { DesignJob } from './design/job.ts'
import type { EncodeOptions } from './encoder/encoder.ts'
import { createEncodeText, type EncodeText, type Level } from './matrix.ts'
import { readAppearance, type Appearance } from './options.ts'
import type { PageJob } from './print/poster.ts'
import type { PictureJob } from './picture/picture.ts'
import { drawPlain, type PlainImage } from './plain.ts'
import type { DesignedImage, PictureImage } from './pool/job.ts'
import type { RenderPool } from './pool/pool.ts'
import type { Requester } from './pool/queue.ts'

/** An image, ready to send. */
export interface Image {
  body: Buffer
  /** Its entity tag (RFC 9110, 8.8.3). */
  tag: string
  level: Level
  /** Always present for a designed image; for a plain one only when its colours are hard to scan. */
  scannability?: Scannability
}

export interface CheckedImage extends Image, Omit<DesignedImage, 'body' | 'scannability'> {}

/** Draws QR images, and the pictures of pages. */
export interface Images {
  /**
   * Draws a plain image on the event loop; the text must be short.
   * @throws {Problem} 400 when the data or the size do not fit
   */
  plain: (text: string, appearance: Appearance, options: EncodeOptions) => Image
  /**
   * The same for any text: long texts are drawn on a thread, and all texts while many images wait and a thread is free.
   * @throws {Problem} 400 when the data or the size do not fit, 503 when too many images are being drawn
   */
  plainOfAny: (text: string, appearance: Appearance, options: EncodeOptions, requester?: Requester) => Promise<Image>
  /**
   * Draws and checks a designed image on a thread. The work is dropped when all clients have disconnected before it starts.
   * @throws {Problem} 400 when it cannot be drawn or scanned, 503 when too many images are being drawn
   */
  designed: (job: DesignJob | PageJob, requester?: Requester) => Promise<CheckedImage>
  /** Draws images soon, which no client has requested; see `warmUpLater`. */
  warmUp: () => void
  /** Draws the picture of a page on a thread, like a designed image. @throws {Problem} 503 when too many wait */
  picture: (job: PictureJob, requester?: Requester) => Promise<Drawn<PictureImage>>
  close: () => Promise<void>
}

/** Up to this many characters, drawing takes the event loop a few milliseconds, also for the first image of a version. */
const MAX_SHORT = 300

/** Bytes of cached images: the same few are requested again and again. */
const CACHE_BYTES = 8 * 1024 * 1024

/** @param isBusy whether so many images wait that short texts are drawn on threads as well */
export function createImages(
  pool: Pick<RenderPool, 'draw' | 'render' | 'picture' | 'isFree' | 'close'>,
  isBusy: () => boolean = () => false,
): Images {
  const encode = createEncodeText()
  let stopWarmUp = () => {}
  const plain = createPlainCache()

  function drawHere(text: string, appearance: Appearance, options: EncodeOptions): Image {
    const key = JSON.stringify([text, appearance, options])
    return plain.get(key) ?? plain.add(key, appearance, drawPlain(encode, { text, appearance, options }))
  }

  return {
    plain: drawHere,
    async plainOfAny(text, appearance, options, requester) {
      if (text.length <= MAX_SHORT && !(isBusy() && pool.isFree())) return drawHere(text, appearance, options)
      const key = JSON.stringify([text, appearance, options])
      return plain.get(key) ?? plain.add(key, appearance, await pool.draw({ text, appearance, options }, requester))
    },
    designed: createShared(pool.render),
    picture: createShared(pool.picture),
    warmUp() {
      stopWarmUp = warmUpLater(encode)
    },
    close() {
      stopWarmUp()
      return pool.close()
    },
  }
}

function createPlainCache() {
  const cache = createBoundedCache<Image>(CACHE_BYTES)
  return {
    get: (key: string) => cache.get(key),
    add(key: string, { poor }: Appearance, { body: bytes, level }: PlainImage): Image {
      const body = ownBuffer(bytes)
      const image = { body, tag: entityTagOf(body), level, ...(poor && { scannability: 'poor' as const }) }
      cache.set(key, image, body.length + key.length * 2)
      return image
    },
  }
}

/** An image from a thread, ready to send. */
type Drawn<T> = Omit<T, 'body'> & { body: Buffer; tag: string }

/** Draws images on threads; concurrent requests for the same image share one drawing. */
function createShared<Job, T extends { body: Uint8Array }>(
  render: (job: Job, requester?: Requester) => Promise<T>,
): (job: Job, requester?: Requester) => Promise<Drawn<T>> {
  const cache = createBoundedCache<Drawn<T>>(CACHE_BYTES)
  const drawings = createSharedWork<Drawn<T>>({ mayJoinLate: true })

  async function draw(key: string, job: Job, requester: Requester): Promise<Drawn<T>> {
    const { body: bytes, ...rest } = await render(job, requester)
    const body = ownBuffer(bytes)
    const image = { ...rest, body, tag: entityTagOf(body) }
    // A single large image must not evict all others.
    if (body.length < CACHE_BYTES / 8) cache.set(key, image, body.length + 2048)
    return image
  }

  return async (job, requester = {}) => {
    const key = hash('sha256', JSON.stringify(job), 'base64')
    const known = cache.get(key)
    if (known === undefined) requester.signal?.throwIfAborted()
    return known ?? drawings.share(key, requester, (turn) => draw(key, job, { ...requester, ...turn }))
  }
}

/** How long after the start of the service images are drawn that no client has requested. */
const WARM_UP_MS = 500

/**
 * Draws images after the start: the first ones of a process take ten times as long as later ones, and most starts are over
 * before a client waits for one. Each is drawn in a timer of its own, so that requests are served in between.
 * @returns cancels those that are not drawn yet
 */
function warmUpLater(encode: EncodeText): () => void {
  const text = 'Short links; QR codes! '.repeat(MAX_SHORT).slice(0, MAX_SHORT)
  const draws = (['png', 'svg'] as const).flatMap((format) =>
    [MAX_SHORT / 10, MAX_SHORT].map((length) => ({
      text: text.slice(0, length),
      appearance: readAppearance({ size: 1024 }, format),
      options: { level: 'M' } as const,
    })),
  )
  const timers = draws.map((draw, index) => setTimeout(() => drawPlain(encode, draw), WARM_UP_MS + index * 20).unref())
  return () => timers.forEach(clearTimeout)
}
