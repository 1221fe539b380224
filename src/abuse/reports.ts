import { Type } from '#typebox'
import { asObject } from '../http/body.ts'
import { invalidRequest, Problem } from '../http/problem.ts'
import { createValidator } from '../http/validate.ts'
import { text } from '../http/fields.ts'
import { asHolder } from '../lib/holder.ts'
import type { Link } from '../links/link.ts'
import { linkOfCode } from '../links/look-up.ts'
import { suspensionProblem } from '../links/suspension.ts'
import { noteReporter } from './reporters.ts'
import { addNote, countReport, type NewReport } from './store.ts'
import { codeOf } from './subject.ts'
import { logReported, mainReason, tellOrNote, type ReportDeps } from './telling.ts'

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

/** Who sends a report, and where. */
export interface ReportSource {
  /** The client's address, of which nothing is stored from which it could be found. */
  address: string
  /** Whether a URL is one of this service, so that its path is a code. */
  owns: (url: URL) => boolean
}

const NO_CODE =
  'must be a code or a short URL of this service; of a URL under another name, give the code: it follows the name'

/**
 * Stores a report of a harmful code, and tells operator and owner once it was reported from `threshold` networks. It changes no visit.
 * @returns the code in its owner's spelling
 * @throws {Problem} 400 for an invalid field, 404 for an unknown code, 410 or 451 for a deleted or suspended one
 */
export async function submitReport(deps: ReportDeps, body: unknown, { address, owns }: ReportSource): Promise<string> {
  const { code: subject, reason, details = '' } = readReport(body)
  const code = codeOf(subject, owns)
  if (code === undefined) throw invalidRequest([{ pointer: '/code', detail: NO_CODE }])
  const link = await linkOfCode(deps, code)
  if (link === undefined) throw new Problem('unknown_code', `no link has the code ${code}`)
  if (link === 'gone') throw deletedProblem(code)
  if (link.suspension !== null) throw suspensionProblem(link.suspension)
  const row = { linkId: link.id, reason, details: details.trim(), at: deps.now() }
  try {
    await storeReport(deps, link, row, asHolder(address).allocation)
  } catch (error) {
    // The link was deleted since it was read, and its row no longer exists.
    if ((await linkOfCode(deps, code)) === 'gone') throw deletedProblem(code)
    throw error
  }
  return link.code
}

function readReport(body: unknown): { code: string; reason: string; details?: string } {
  const request = asObject(body)
  const errors = validate(request)
  if (errors.length > 0) throw invalidRequest(errors)
  return request as { code: string; reason: string; details?: string }
}

/** Stores a report, and in the same transaction what operator and owner are told because of it, again after 30 days. */
async function storeReport(
  deps: ReportDeps,
  link: Link,
  row: NewReport & { details: string },
  network: string,
): Promise<void> {
  const { linkId, reason, details, at } = row
  const told = await deps.db.transaction(async (transaction) => {
    const reasons = await countReport(transaction, row)
    const { networks, isAgain } = await noteReporter(transaction, linkId, network, at)
    if (details !== '') await addNote(transaction, linkId, { reason, details, at }, isAgain)
    if (networks < deps.threshold) return undefined
    return tellOrNote(deps, transaction, link, { at, networks, reason: mainReason(reasons) })
  })
  if (told !== undefined) logReported(deps, told)
}

function deletedProblem(code: string): Problem {
  return new Problem('code_gone', `the link ${code} was deleted by its owner`)
}
