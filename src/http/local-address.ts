import type { FastifyReply } from 'fastify'
import { isLoopback, isUnspecified } from '../lib/host.ts'
import { nameWarning, type Warning } from './warnings.ts'

/** Members of responses that are URLs of the service; of one object, all have the same origin. */
const urlMembers = ['short_url', 'manage_url', 'share_url'] as const

/** Whether a URL leads whoever opens it to their own machine, so that nobody else reaches the service by it. */
export function isLocalUrl(url: string): boolean {
  const host = URL.parse(url)?.hostname
  return host !== undefined && (isLoopback(host) || isUnspecified(host))
}

/** A URL of the service in a response, or in the result of a row. */
export function serviceUrlOf(response: Record<string, unknown>): string | undefined {
  return urlMembers.map((name) => response[name]).find((value) => typeof value === 'string')
}

/**
 * The warnings about the URLs in a response. They are read from the response, and not from the request: the response to a
 * retry may have been stored under another host.
 */
export function warningsOf(response: Record<string, unknown>): Warning[] {
  const url = serviceUrlOf(response)
  return url !== undefined && isLocalUrl(url) ? [warningOf(url)] : []
}

function warningOf(url: string): Warning {
  const { origin } = new URL(url)
  const detail = `others cannot reach ${origin}, nor scan its QR codes: set BASE_URL to the public address of the service`
  return { code: 'local_address', detail }
}

/** Says in a header that a response has a URL that others cannot reach, or an image that encodes one. */
export function warnOfLocalUrl(reply: FastifyReply, url: string): void {
  if (isLocalUrl(url)) nameWarning(reply, 'local_address')
}
