import { readValues } from '../../dimensions/dimensions.ts'
import { yieldEvery } from '../../lib/yield-every.ts'
import type { DescribeDeps } from '../describing/describe.ts'
import type { AddPart, ImportPart, VisitRows } from './part.ts'
import type { ImportedScan } from './records.ts'

/** How long visits of links may wait while imported ones are described, in milliseconds. */
const SLICE_MS = 5

/** A visit that another service has recorded, without an address. */
export interface ForeignVisit {
  /** Milliseconds since 1970. */
  at: number
  /** Its user agent and its referrer; empty when they are unknown. */
  agent: string
  referrer: string
  country: string | null
  city: string | null
  /** Whether the service took it for one by a bot. */
  bot: boolean
}

/** A part of the visits of a link, to be added once; see `ImportPart`. */
export type VisitPart = Pick<ImportPart, 'linkId' | 'bundle' | 'position'> &
  Pick<VisitRows, 'rest'> & { visits: ForeignVisit[] }

type Deps = Pick<DescribeDeps, 'parseAgent' | 'parseReferrer'> & { addPart: AddPart }

/** Adds visits as the scans that quirl would have recorded of them. */
export type AddVisits = (part: VisitPart) => ReturnType<AddPart>

export function createAddVisits(deps: Deps): AddVisits {
  return async ({ visits, rest, ...part }) => {
    const pause = yieldEvery(SLICE_MS)
    const rows: ImportedScan[] = []
    for (const visit of visits) {
      rows.push(toScan(deps, visit))
      await pause()
    }
    // The number of further visits comes with the first ones.
    const added = part.position === 0 ? rest : { ...rest, clicks: 0 }
    return deps.addPart({ ...part, table: 'visits', rows, old: [], rest: added, count: rows.length, lastAt: 0 })
  }
}

/** As of clicks, it is not known whether a visitor came for the first time, nor whether a QR image was scanned. */
function toScan({ parseAgent, parseReferrer }: Deps, visit: ForeignVisit): ImportedScan {
  const { at, agent: userAgent, referrer, country, city } = visit
  const agent = parseAgent(userAgent)
  const bot = isBot(visit, agent.bot, agent.device ?? agent.os ?? agent.browser)
  const told = { url: '', headers: {}, agent, place: { country, city }, optsOut: false, placements: null }
  const values = readValues({ ...told, referrer: () => parseReferrer(referrer) })
  return { ...values, at, bot, first: false, visitor: null }
}

/** quirl's own table decides; the other service's opinion counts of an agent that is absent, or in no table. */
function isBot({ agent, bot: opinion }: ForeignVisit, bot: boolean, known: string | null): boolean {
  if (agent.trim() === '') return opinion
  return bot || (known === null && opinion)
}
