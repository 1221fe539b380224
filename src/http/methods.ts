import type { IncomingMessage } from 'node:http'
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { Problem } from './problem.ts'
import { noteRefusals } from './refusals.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether what a request addresses supports the route's method; when absent, everything does. */
    supports?: Supports
    /** The methods that it supports; set with `supports`. */
    supportedMethods?: SupportedMethods
  }
}

type Supports = (request: FastifyRequest, reply: FastifyReply) => Promise<boolean>
type SupportedMethods = (request: FastifyRequest, reply: FastifyReply) => Promise<string[]>

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
  methods: Map<string, Supports | undefined>
}

/**
 * Collects the routes that are added to `app`. To be called before the first route.
 * @param reserve called with the first segment of each path, unless it is a parameter, or the next one has a form of its own: no
 * alias may use it
 * @returns to be called after the last route: adds a response to OPTIONS, and a 405 for all other methods
 */
export function watchRoutes(app: FastifyInstance, reserve: (word: string) => void): () => void {
  const paths = new Map<string, Path>()
  let isComplete = false

  app.addHook('onRoute', function watch(this: FastifyInstance, route) {
    // What is added below would count as supported.
    if (isComplete) return
    const path = paths.get(route.url) ?? { owner: this, config: route.config, methods: new Map() }
    for (const method of [route.method].flat()) {
      if (!isKnown(method) && method !== OTHER) throw new Error(`METHODS must have the ${method} of ${route.url}`)
      path.methods.set(method, route.config?.supports)
    }
    paths.set(route.url, path)
    if (route.config?.supports !== undefined) route.config = { ...route.config, supportedMethods: listMethods(path) }
    const word = ownWord(route.url)
    if (word !== undefined) reserve(word)
  })

  return () => {
    isComplete = true
    for (const [url, path] of paths) addOtherMethods(url, path)
  }
}

/** The first word of a path, unless what follows tells the path from those of a link: `/c/collection_…` from `/c/qr.png`. */
function ownWord(url: string): string | undefined {
  const [word = '', next = ''] = url.split('/').slice(1)
  return /^[\w-]+$/.test(word) && !/^:\w+\(\^/.test(next) ? word : undefined
}

function addOtherMethods(url: string, { owner, config, methods }: Path): void {
  const others = [...METHODS, OTHER].filter((method) => !methods.has(method))
  const supportedMethods = listMethods({ methods })
  const answer = async (request: FastifyRequest, reply: FastifyReply) =>
    refuse(await supportedMethods(request, reply), request, reply)
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

function listMethods({ methods }: Pick<Path, 'methods'>): SupportedMethods {
  return async (request, reply) => {
    const supported = ['OPTIONS']
    for (const [method, supports] of methods) {
      if (supports === undefined || (await supports(request, reply))) supported.push(method)
    }
    return supported.sort()
  }
}

function refuse(supported: string[], { method }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const allow = supported.join(', ')
  reply.header('allow', allow)
  if (method === 'OPTIONS') return reply.code(204).send()
  throw new Problem('method_not_allowed', `the method must be one of ${allow}`)
}

/** Makes `app` refuse methods that its routes do not always support, before a body is read. To be called before its routes. */
export function refuseUnsupported(app: FastifyInstance): void {
  noteRefusals(app, ({ config }) => (config?.supports === undefined ? [] : ['method_not_allowed']))
  app.addHook('onRequest', async (request, reply) => {
    const { supportedMethods } = request.routeOptions.config
    if (supportedMethods === undefined) return
    const supported = await supportedMethods(request, reply)
    if (!supported.includes(request.method)) refuse(supported, request, reply)
  })
}
