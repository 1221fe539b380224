import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createHistogram, type Histogram } from './histogram.ts'
import type { AnyMetric } from './metric.ts'

declare module 'node:http' {
  interface ServerResponse {
    /** When the request has arrived, by `performance.now()`. */
    receivedAt?: number
  }
}

/** To be called when a request has arrived, and again when its body has: how long a client takes to send it is not measured. */
export function markReceived(response: ServerResponse): void {
  response.receivedAt = performance.now()
}

const CLASSES = 5

/** Measures the responses to each kind of request. */
export interface RequestMetrics<Kind extends string> {
  /** To be called with each response that no route sends, when it is on its way; of a class by the first digit of its status. */
  onResponse: (kind: Kind, response: ServerResponse) => void
  /** Measures what routes send. To be called before the first route. */
  watch: (app: FastifyInstance, kindOf: (request: FastifyRequest) => Kind | undefined) => void
  metrics: AnyMetric[]
}

export function createRequestMetrics<Kind extends string>(kinds: readonly Kind[]): RequestMetrics<Kind> {
  const create = (): Measured => ({ latency: createHistogram(), classes: new Float64Array(CLASSES + 1) })
  const measured = Object.fromEntries(kinds.map((kind) => [kind, create()])) as Record<Kind, Measured>

  function observe(kind: Kind, { receivedAt }: ServerResponse): void {
    if (receivedAt !== undefined) measured[kind].latency.observe(performance.now() - receivedAt)
  }

  function count(kind: Kind, statusCode: number): void {
    const { classes } = measured[kind]
    const at = Math.trunc(statusCode / 100)
    classes[at] = (classes[at] ?? 0) + 1
  }

  return {
    onResponse(kind, response) {
      observe(kind, response)
      count(kind, response.statusCode)
    },
    watch(app, kindOf) {
      // Until the response begins: how long a client takes to read it says nothing about the service.
      app.addHook('onSend', (request, reply, payload, done) => {
        const kind = kindOf(request)
        // Nobody receives what is sent after the client has disconnected.
        if (kind !== undefined && !reply.raw.destroyed) observe(kind, reply.raw)
        done(null, payload)
      })
      // Refusals are sent without the hook above, and streams as well.
      app.addHook('onResponse', (request, reply, done) => {
        const kind = kindOf(request)
        if (kind !== undefined && reply.raw.writableFinished) count(kind, reply.raw.statusCode)
        done()
      })
    },
    metrics: metricsOf(measured),
  }
}

/** The responses to one kind of request. */
interface Measured {
  latency: Histogram
  /** How many there were, by the first digit of their status. */
  classes: Float64Array
}

function metricsOf(measured: Record<string, Measured>): AnyMetric[] {
  const kinds = Object.entries(measured)
  return [
    {
      name: 'quirl_http_request_duration_seconds',
      help: 'Time from the arrival of a request until its response begins, without requests that were refused at once',
      type: 'histogram',
      histograms: () => kinds.map(([kind, { latency }]) => ({ labels: { kind }, value: latency.read() })),
    },
    {
      name: 'quirl_http_responses_total',
      help: 'Complete responses by kind of request and class of their status',
      type: 'counter',
      samples: () =>
        kinds.flatMap(([kind, { classes }]) =>
          [2, 3, 4, 5].map((at) => ({ labels: { kind, code: `${at}xx` }, value: classes[at] ?? 0 })),
        ),
    },
  ]
}
