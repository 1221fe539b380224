import { Type } from '#typebox'
import type { Database } from '../db/database.ts'
import { asObject } from '../http/body.ts'
import { invalidRequest, Problem } from '../http/problem.ts'
import { createValidator } from '../http/validate.ts'
import { text } from '../http/fields.ts'
import { linkOfCode } from '../links/manage.ts'
import { suspensionProblem } from '../links/suspension.ts'
import { countReport } from './store.ts'
import { codeOf } from './subject.ts'

/** The reasons for a report. */
export const reportReasons = ['phishing', 'malware', 'scam', 'spam', 'illegal', 'other'] as const

export const reportBody = Type.Object(
  {
    code: Type.String({
      maxLength: 2048,
      description: 'The code, or the short URL.',
      examples: ['k7dw3nq', 'https://qr.example.com/k7dw3nq'],
    }),
    reason: Type.Enum([...reportReasons], { description: 'The problem with the destination.' }),
    details: Type.Optional(text(2000, 'Further information for the operator. Do not send personal data.')),
  },
  { title: 'Report' },
)

const validate = createValidator(reportBody)

export interface ReportDeps {
  db: Database
  now: () => number
}

/**
 * Stores a report of a harmful code. Nothing about the reporter is stored.
 * @param owns whether a URL is one of this service, so that its path is a code
 * @returns the code in its owner's spelling
 * @throws {Problem} 400 for an invalid field, 404 for an unknown code, 410 or 451 for a deleted or removed one
 */
export async function submitReport(deps: ReportDeps, body: unknown, owns: (url: URL) => boolean): Promise<string> {
  const request = asObject(body)
  const errors = validate(request)
  if (errors.length > 0) throw invalidRequest(errors)
  const { code: subject, reason, details = '' } = request as { code: string; reason: string; details?: string }
  const code = codeOf(subject, owns)
  if (code === undefined) {
    throw invalidRequest([{ pointer: '/code', detail: 'must be a code or a short URL of this service' }])
  }
  const link = await linkOfCode(deps, code)
  if (link === undefined) throw new Problem('unknown_code', `no link has the code ${code}`)
  if (link === 'gone') throw deletedProblem(code)
  if (link.suspension !== null) throw suspensionProblem(link.suspension)
  const row = { linkId: link.id, reason, details: details.trim() || null, at: deps.now() }
  try {
    await deps.db.transaction((transaction) => countReport(transaction, row))
  } catch (error) {
    // The link was deleted since it was read, and its row no longer exists.
    if ((await linkOfCode(deps, code)) === 'gone') throw deletedProblem(code)
    throw error
  }
  return link.code
}

function deletedProblem(code: string): Problem {
  return new Problem('code_gone', `the link ${code} was deleted by its owner`)
}
