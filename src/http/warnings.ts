import type { FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Warnings about what the client has sent. */
    warnings?: Warning[]
    /** The same of rows, by their index. */
    rowWarnings?: Map<number, Warning[]>
  }
}

/** Something that the client should know about a response that is otherwise as requested. */
export interface Warning {
  code: 'local_address' | 'windows_1252' | 'invisible_characters'
  detail: string
}

const HEADER = 'quirl-warning'

/** Names a warning in the header of the response. */
export function nameWarning(reply: FastifyReply, code: Warning['code']): void {
  const named = String(reply.getHeader(HEADER) ?? '')
    .split(',')
    .filter((each) => each !== '')
  if (!named.includes(code)) reply.header(HEADER, [...named, code].join(','))
}

/** Warns of what the client has sent, in the response as well when it is an object. */
export function warnOfInput(request: FastifyRequest, reply: FastifyReply, warning: Warning): void {
  request.warnings = [...(request.warnings ?? []), warning]
  nameWarning(reply, warning.code)
}

/** The same of a row, in the result of that row. */
export function warnOfRow(request: FastifyRequest, reply: FastifyReply, row: number, warning: Warning): void {
  const warnings = (request.rowWarnings ??= new Map())
  warnings.set(row, [...(warnings.get(row) ?? []), warning])
  nameWarning(reply, warning.code)
}
