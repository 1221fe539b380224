import type { IncomingMessage } from 'node:http'
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { Problem } from './problem.ts'

/** The methods that routes may have. */
const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']

/** Stands for every other method: the router has a tree of all paths for each method that it knows. */
const OTHER: HTTPMethods = 'TRACE'

const isKnown = (method: string) => (METHODS as string[]).includes(method)

/** Has the router find the path of a request whose method no route has. */
export function unifyMethod(request: IncomingMessage): void {
  if (!isKnown(request.method ?? '')) request.method = OTHER
}

/** The routes of one path: their methods, and the plugin that added them, whose hooks also run for other methods. */
interface Path {
  owner: FastifyInstance
  config: FastifyContextConfig | undefined
  methods: Set<string>
}

/**
 * Collects the routes that are added to `app`. To be called before the first route.
 * @param reserve called with the first segment of each path, unless it is a parameter: no alias may use it
 * @returns to be called after the last route: adds a response to OPTIONS, and a 405 for all other methods
 */
export function watchRoutes(app: FastifyInstance, reserve: (word: string) => void): () => void {
  const paths = new Map<string, Path>()

  app.addHook('onRoute', function watch(this: FastifyInstance, route) {
    const path = paths.get(route.url) ?? { owner: this, config: route.config, methods: new Set() }
    for (const method of [route.method].flat()) {
      if (!isKnown(method) && method !== OTHER) throw new Error(`METHODS must have the ${method} of ${route.url}`)
      path.methods.add(method)
    }
    paths.set(route.url, path)
    const [word = ''] = route.url.split('/').slice(1)
    if (/^[\w-]+$/.test(word)) reserve(word)
  })

  return () => {
    for (const [url, path] of paths) addOtherMethods(url, path)
  }
}

function addOtherMethods(url: string, { owner, config, methods }: Path): void {
  const allow = [...methods, 'OPTIONS'].sort().join(', ')
  const others = [...METHODS, OTHER].filter((method) => !methods.has(method))
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('allow', allow)
    if (request.method === 'OPTIONS') return reply.code(204).send()
    throw new Problem('method_not_allowed', `the method must be one of ${allow}`)
  }
  owner.route({
    url: url.slice(owner.prefix.length),
    method: others,
    schema: { hide: true },
    config: { ...config, work: 'immediate' },
    // Responds before a body is read, which would change nothing.
    onRequest: answer,
    handler: answer,
  })
}
