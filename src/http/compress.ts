import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createBoundedCache } from '../lib/bounded-cache.ts'
import type { Holder } from '../lib/holder.ts'
import { ownBuffer } from '../lib/own-buffer.ts'
import { createTurns, type TurnBounds } from '../lib/turns.ts'
import { preferredEncoding, type Encoding } from './accept.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Compresses responses as far as possible, which takes long: for files that never change. */
    isAsset?: boolean
  }
}

/** A body that fits into one packet arrives no sooner when it is smaller. */
const MIN_BYTES = 1_400
/** A larger body would occupy a thread that writes to the disk need. */
const MAX_BYTES = 1024 * 1024
const CACHE_BYTES = 8 * 1024 * 1024
/** What the objects of a cached body take besides. */
const ENTRY_BYTES = 400

const compressible = /^(?:text\/[a-z]+|image\/svg\+xml|application\/(?:json|problem\+json|manifest\+json|xml))(?:;|$)/

/**
 * Two of the four threads of libuv's pool, of which a third hashes passwords: one is left to the syncs of the disk, for which every
 * creation waits. A MiB takes a twentieth of a second of a thread at most, so that what waits has its turn within half a second.
 */
const turnBounds: TurnBounds = { waiting: 16, concurrent: 2 }

/** No turn can be had: the body is sent as it is. */
const NO_TURN = new Error('too many responses wait to be compressed')

/**
 * Compresses the whole bodies of all routes of `app`, but not streams, for clients that accept it (RFC 9110, 12.5.3). The
 * work is done in libuv's pool, a few bodies at a time, and the latest results are cached by content. Networks take turns; what
 * finds no place among those that wait is sent as it is, so that no queue of bodies takes memory or keeps others from the pool.
 */
export function compressResponses(
  app: FastifyInstance,
  holderOf: (request: FastifyRequest) => Holder,
  compressors: Compressors = defaultCompressors,
): void {
  const cache = createBoundedCache<Buffer>(CACHE_BYTES)
  const turns = createTurns(turnBounds, () => NO_TURN)

  async function compress(request: FastifyRequest, body: Buffer, encoding: Encoding): Promise<Buffer> {
    const key = `${encoding} ${hash('sha256', body, 'base64url')}`
    const known = cache.get(key)
    if (known !== undefined) return known
    return turns.run({ holder: holderOf(request) }, async () => {
      // Another request may have wanted the same meanwhile.
      const cached = cache.get(key)
      if (cached !== undefined) return cached
      // zlib returns a part of its output buffer, which has 16 KiB and more.
      const compressed = ownBuffer(await compressors[encoding](body, isAsset(request)))
      cache.set(key, compressed, compressed.length + ENTRY_BYTES)
      return compressed
    })
  }

  app.addHook('onSend', (request, reply, payload, done) => {
    const body = bodyToCompress(reply, payload)
    if (body === undefined) return done(null, payload)
    addVary(reply, 'accept-encoding')
    const encoding = preferredEncoding(request.headers['accept-encoding'])
    if (encoding === undefined) return done(null, payload)
    compress(request, body, encoding).then(
      (compressed) => {
        reply.header('content-encoding', encoding)
        done(null, compressed)
      },
      (error) => (error === NO_TURN ? done(null, payload) : done(error)),
    )
  })
}

const isAsset = ({ routeOptions }: FastifyRequest): boolean => routeOptions.config.isAsset === true

function bodyToCompress(reply: FastifyReply, payload: unknown): Buffer | undefined {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return undefined
  if (payload.length < MIN_BYTES || payload.length > MAX_BYTES) return undefined
  if (!compressible.test(String(reply.getHeader('content-type')))) return undefined
  return typeof payload === 'string' ? Buffer.from(payload) : payload
}

/** Names a request header that the response depends on (RFC 9110, 12.5.5). */
export function addVary(reply: FastifyReply, name: string): void {
  const before = reply.getHeader('vary')
  if (before === undefined) reply.header('vary', name)
  else if (!String(before).split(', ').includes(name)) reply.header('vary', `${String(before)}, ${name}`)
}

/** @param isAsset whether the body is compressed as far as possible */
type Compressors = Record<Encoding, (body: Buffer, isAsset: boolean) => Promise<Buffer>>

const defaultCompressors: Compressors = {
  br: (body, isAsset) =>
    promisify(brotliCompress)(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: isAsset ? constants.BROTLI_MAX_QUALITY : 4,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
  // From level 5 on, a text of few different letters takes up to eight times as long, and becomes three percent smaller.
  gzip: (body, isAsset) => promisify(gzip)(body, { level: isAsset ? 9 : 4 }),
}
