import type { ServerResponse } from 'node:http'
import { problemBody, type Problem } from './problem.ts'

const mediaType = 'application/problem+json'

/** Sends a problem without Fastify. */
export function sendProblem(response: ServerResponse, problem: Problem, requestId: string): void {
  const body = problemBody(problem, requestId)
  response
    .writeHead(problem.status, {
      'content-type': mediaType,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...problem.headers,
    })
    .end(body)
}

/** The bytes of a response with a problem, for a connection without a valid request; the connection is closed after it. */
export function problemResponse(problem: Problem, requestId: string): string {
  const body = problemBody(problem, requestId)
  const headers = Object.entries(problem.headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return (
    `HTTP/1.1 ${problem.status} ${problem.title}\r\nContent-Type: ${mediaType}\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n${headers.join('')}Connection: close\r\n\r\n${body}`
  )
}
