import type { FastifyReply, FastifyRequest } from 'fastify'
import { warnOfInput, warnOfRow } from '../../http/warnings.ts'
import { codePointsOf } from '../../lib/invisible.ts'
import type { OnTrimmed } from '../url-policy.ts'

/** @returns what warns, in the response, of the invisible characters that were dropped; `row` has the pointers of a row */
export function warnsOfTrimmed(request: FastifyRequest, reply: FastifyReply, row?: number): OnTrimmed {
  // A change that meets another one is read again.
  const warned = new Set<string>()
  return (pointer, dropped) => {
    if (warned.has(pointer)) return
    warned.add(pointer)
    const detail = `${pointer} was saved without the invisible ${codePointsOf(dropped)} around it`
    const warning = { code: 'invisible_characters', detail } as const
    if (row === undefined) warnOfInput(request, reply, warning)
    else warnOfRow(request, reply, row, warning)
  }
}
