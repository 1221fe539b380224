import { Type } from '#typebox'
import type { Database } from '../db/database.ts'
import { asObject } from '../http/body.ts'
import { invalidRequest, Problem } from '../http/problem.ts'
import { createValidator } from '../http/validate.ts'
import { text } from '../http/fields.ts'
import { linkOfCode } from '../links/manage.ts'
import { removedProblem } from '../links/removal.ts'
import { countReport } from './store.ts'
import { codeOf } from './subject.ts'

/** What can be reported, with the words of the form. */
export const reportReasons = {
  phishing: 'It asks for passwords or money under a false name',
  malware: 'It spreads harmful software',
  scam: 'It is a fraud of another kind',
  spam: 'It was sent to me unasked',
  illegal: 'It breaks the law',
  other: 'Something else',
}

export const reportBody = Type.Object(
  {
    code: Type.String({
      maxLength: 2048,
      description: 'The code, or the short URL as it was found.',
      examples: ['k7dw3nq', 'https://qr.example.com/k7dw3nq'],
    }),
    reason: Type.Enum(Object.keys(reportReasons), { description: 'What is wrong with where it leads.' }),
    details: Type.Optional(text(2000, 'What else the operator should know. Do not send personal data.')),
  },
  { title: 'Report' },
)

const validate = createValidator(reportBody)

export interface ReportDeps {
  db: Database
  now: () => number
}

/**
 * Takes down that a code leads to something bad. Nothing of who reports is kept.
 * @param owns whether a URL is one of ours, so that its path is a code
 * @returns the code as its owner wrote it
 * @throws {Problem} 400 for a bad field, 404 for an unknown code, 410 or 451 for one that is gone already
 */
export async function report(deps: ReportDeps, body: unknown, owns: (url: URL) => boolean): Promise<string> {
  const request = asObject(body)
  const errors = validate(request)
  if (errors.length > 0) throw invalidRequest(errors)
  const { code: named, reason, details = '' } = request as { code: string; reason: string; details?: string }
  const code = codeOf(named, owns)
  if (code === undefined) {
    throw invalidRequest([{ pointer: '/code', detail: 'must be a code or a short URL of this service' }])
  }
  const link = await linkOfCode(deps, code)
  if (link === undefined) throw new Problem('unknown_code', `no link has the code ${code}`)
  if (link === 'gone') throw gone(code)
  if (link.removed !== null) throw removedProblem(link.removed)
  const row = { linkId: link.id, reason, details: details.trim() || null, at: deps.now() }
  try {
    await deps.db.transaction((transaction) => countReport(transaction, row))
  } catch (error) {
    // Deleted since it was read: there is no row that a report could belong to.
    if ((await linkOfCode(deps, code)) === 'gone') throw gone(code)
    throw error
  }
  return link.code
}

function gone(code: string): Problem {
  return new Problem('code_gone', `the link ${code} was deleted by its owner`)
}
