import { createServer } from 'node:http'
import type { Ending } from './cleanup.ts'
import { listen } from './http-server.ts'

export const heldLink = {
  code: 'menu',
  token: 't'.repeat(43),
  short_url: 'http://q.test/menu',
  manage_url: `http://q.test/m/${'t'.repeat(43)}`,
}

/** A service that answers with a new link, and only when it is told to. */
export interface HeldService {
  url: string
  /** Resolves when a creation is requested. */
  requested: Promise<void>
  release: () => void
}

export async function holdCreations(t: Ending): Promise<HeldService> {
  const [requested, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const server = createServer((_, response) => {
    requested.resolve()
    void released.promise.then(() =>
      response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(heldLink)),
    )
  })
  const url = `http://127.0.0.1:${await listen(t, server)}`
  return { url, requested: requested.promise, release: released.resolve }
}
