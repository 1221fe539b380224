import { METHODS } from 'node:http'
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { Problem } from './problem.ts'

/** What is known of one path: who added its routes (whose hooks also run for other methods), and their methods. */
interface Path {
  owner: FastifyInstance
  config: FastifyContextConfig | undefined
  methods: Set<string>
}

/**
 * Knows every path of `app`, as routes are added to it. Call it before the first route.
 * @param reserve called with the first segment of each path that is not a parameter: no alias may take it
 * @returns to be called after the last route: OPTIONS is answered then, every other method is a 405
 */
export function watchRoutes(app: FastifyInstance, reserve: (word: string) => void): () => void {
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
    // No route takes it; Fastify would ask for the type of its body before it says so.
    if (method === 'QUERY') app.addHttpMethod(method, { overrideExisting: true })
  }
  const paths = new Map<string, Path>()

  app.addHook('onRoute', function watch(this: FastifyInstance, route) {
    const path = paths.get(route.url) ?? { owner: this, config: route.config, methods: new Set() }
    for (const method of [route.method].flat()) path.methods.add(method)
    paths.set(route.url, path)
    const [word = ''] = route.url.split('/').slice(1)
    if (/^[\w-]+$/.test(word)) reserve(word)
  })

  return () => {
    for (const [url, path] of paths) answerOthers(url, path)
  }
}

function answerOthers(url: string, { owner, config, methods }: Path): void {
  const allow = [...methods, 'OPTIONS'].sort().join(', ')
  const others = METHODS.filter((method) => !methods.has(method) && method !== 'CONNECT') as HTTPMethods[]
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('allow', allow)
    if (request.method === 'OPTIONS') return reply.code(204).send()
    throw new Problem('method_not_allowed', `${request.method} is not among ${allow}`)
  }
  owner.route({
    url: url.slice(owner.prefix.length),
    method: others,
    schema: { hide: true },
    config: { ...config, work: 'immediate' },
    // Answered before a body is read: whatever it holds, it changes nothing.
    onRequest: answer,
    handler: answer,
  })
}
