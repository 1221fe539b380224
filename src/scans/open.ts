import type { IncomingMessage } from 'node:http'
import type { Totals } from '../links/link.ts'
import { createAgentReader } from './agent.ts'
import { createDescribe, type DescribeDeps } from './describe.ts'
import { openRecorder, type Recorder, type RecorderOptions } from './recorder.ts'
import { createReferrerReader } from './referrer.ts'

/** Records visits as scans, and reads what was recorded. */
export interface Scans extends Omit<Recorder, 'keys' | 'record'> {
  /** Records the visit of a link, then calls `recorded`, whether or not it could be recorded. */
  record: (request: IncomingMessage, linkId: number, recorded: () => void) => void
  /** The totals of a link with all its visits until now, where these can be counted in time. */
  latestTotals: (linkId: number) => Promise<Totals>
}

/** What scans need of the rest of the program. */
export interface ScansNeeds extends RecorderOptions, Pick<DescribeDeps, 'client' | 'countryHeader' | 'findPlace'> {
  /** Whether a host name is the service's own: it is no referrer. */
  isOwnHost: (host: string) => boolean
}

/** @throws {StartError} when what is kept cannot be used, or is of other links; it is not changed then */
export async function openScans({
  isOwnHost,
  client,
  countryHeader,
  findPlace,
  ...options
}: ScansNeeds): Promise<Scans> {
  const { keys, record, ...recorder } = await openRecorder(options)
  const describe = createDescribe({
    now: options.now,
    client,
    keys,
    countryHeader,
    findPlace,
    readAgent: createAgentReader(),
    readReferrer: createReferrerReader(isOwnHost),
  })
  return {
    ...recorder,
    record: (request, linkId, recorded) => record(describe(request, linkId), recorded),
    latestTotals: (linkId) => recorder.settle().then(() => recorder.totals(linkId)),
  }
}
