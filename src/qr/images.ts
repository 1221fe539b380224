import { hash } from 'node:crypto'
import { createBoundedCache } from '../lib/bounded-cache.ts'
import type { EncodeOptions } from './encoder/encoder.ts'
import { createEncodeText, type Level } from './matrix.ts'
import { place, type Look } from './options.ts'
import { renderPng } from './png/png.ts'
import { renderSvg } from './svg.ts'

/** An image, ready to be sent. */
export interface Image {
  body: Buffer
  /** Its entity tag (RFC 9110, 8.8.3). */
  tag: string
  level: Level
}

/** Draws QR images. */
export interface Images {
  /**
   * A symbol of two colours.
   * @throws {Problem} 400 when the data or the size do not fit
   */
  plain: (text: string, look: Look, options: EncodeOptions) => Image
}

/** Bytes of images that are kept, since the same few are asked for again and again. */
const CACHE_BYTES = 8 * 1024 * 1024

export function createImages(): Images {
  const encode = createEncodeText()
  const cache = createBoundedCache<Image>(CACHE_BYTES)
  return {
    plain(text, look, options) {
      const key = JSON.stringify([text, look, options])
      const known = cache.get(key)
      if (known !== undefined) return known
      const symbol = encode(text, options)
      const raster = place(symbol.size, look)
      const body =
        look.format === 'png' ? renderPng(symbol, raster, look) : Buffer.from(renderSvg(symbol, raster, look, text))
      const image = { body, tag: tagOf(body), level: symbol.level }
      cache.set(key, image, body.length + key.length * 2)
      return image
    },
  }
}

function tagOf(body: Buffer): string {
  return `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
}
