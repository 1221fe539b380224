import type { ImportedRows } from '../../links/import/operator.ts'
import type { ForeignVisit } from '../../scans/import/visits.ts'
import type { CommandContext } from '../command.ts'
import { createProgress } from '../progress.ts'
import type { ForeignLink } from './formats.ts'
import type { KeysFile } from './keys-file.ts'
import { sendVisits, splitClicks, type Visits } from './link-visits.ts'
import { warningsOf, withWarnings, type Report } from './report.ts'

/** Links of one call. */
const CHUNK = 500

export interface LinkImport {
  keys: KeysFile
  isDryRun: boolean
  /** Those of the links, if the operator has given them. */
  visits: Visits | undefined
}

type Call = CommandContext['call']

/** Creates the links whose codes are free, and adds what they have counted. A repeated call adds nothing twice. */
export async function importLinks(call: Call, links: ForeignLink[], options: LinkImport): Promise<Report> {
  const { keys, isDryRun, visits } = options
  const report = { created: 0, present: 0, clicks: 0 }
  const reasons = new Map<ForeignLink, string>()
  const refuse = (link: ForeignLink, reason: string) => void reasons.set(link, reason)
  const taken = acceptable(links, refuse)
  const warnings: string[] = []
  const done: { code: string; token: string; manageUrl: string }[] = []
  for (const chunk of chunksOf(taken)) {
    const tokens = keys.tokensOf(chunk.map(({ alias }) => alias))
    const rows = chunk.map((link, at) => ({ ...fieldsOf(link, visits), token: tokens[at] }))
    const { results, origin } = (await call('import', { rows, dry_run: isDryRun })) as ImportedRows
    for (const [at, link] of chunk.entries()) {
      const result = results[at]
      const token = tokens[at] ?? ''
      if (result === undefined || 'error' in result) refuse(link, result?.error.detail ?? 'has no result')
      else {
        report[result.state === 'present' ? 'present' : 'created']++
        report.clicks += await addVisits(call, { link, token }, options)
        warnings.push(...warningsOf(result, link.place, link.alias))
        done.push({ code: link.alias, token, manageUrl: `${origin}/m/${token}` })
      }
    }
  }
  keys.finish(done)
  for (const link of reasons.keys()) visits?.lose(visits.of(link).length, notImported(link))
  const refused = links.flatMap((link) => {
    const reason = reasons.get(link)
    return reason === undefined ? [] : [{ place: link.place, code: link.alias, reason }]
  })
  return { ...report, ...(visits && { visits: visits.report() }), refused, ...withWarnings(warnings) }
}

function notImported({ alias }: ForeignLink) {
  return { reason: 'the link is not imported', example: alias }
}

/** Adds the visits of a link. @returns its clicks that remain a number */
async function addVisits(
  call: Call,
  { link, token }: { link: ForeignLink; token: string },
  { isDryRun, visits }: LinkImport,
): Promise<number> {
  const own = visitsOf(visits, link)
  if (own.length === 0) return link.clicks
  const split = splitClicks(link, own)
  const loss = isDryRun ? undefined : await sendVisits(call, token, split)
  if (loss === undefined) return split.rest.clicks
  visits?.lose(own.length, { ...loss, example: link.alias })
  return link.clicks
}

function visitsOf(visits: Visits | undefined, link: ForeignLink): ForeignVisit[] {
  return visits?.of(link) ?? []
}

/** The links of one call each. Shows the progress, until an error as well. */
function* chunksOf(links: ForeignLink[]): Generator<ForeignLink[]> {
  const progress = createProgress()
  try {
    for (let from = 0; from < links.length; from += CHUNK) {
      progress.show(`${from} of ${links.length} links`)
      yield links.slice(from, from + CHUNK)
    }
  } finally {
    progress.end()
  }
}

/** What a creation has. The clicks of a link with visits come with these. */
function fieldsOf(link: ForeignLink, visits: Visits | undefined) {
  const { alias, target, title, created_at } = link
  const clicks = visitsOf(visits, link).length === 0 ? link.clicks : 0
  return { alias, target, title, created_at, clicks }
}

/** The links that can be sent: codes are the same in any case, and the first one has it. */
function acceptable(links: ForeignLink[], refuse: (link: ForeignLink, reason: string) => void): ForeignLink[] {
  const places = new Map<string, string>()
  return links.filter((link) => {
    const earlier = places.get(link.alias.toLowerCase())
    if (link.obstacle !== undefined) refuse(link, link.obstacle)
    else if (earlier !== undefined) refuse(link, `has the code of ${earlier}; case makes no difference here`)
    else {
      places.set(link.alias.toLowerCase(), link.place)
      return true
    }
    return false
  })
}
