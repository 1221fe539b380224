import type { IncomingMessage } from 'node:http'
import type { StatedTotals, Totals } from '../links/link.ts'
import { createAgentParser } from './describing/agent.ts'
import {
  createAgentOf,
  createDescribe,
  createIdentify,
  type AgentOf,
  type Describe,
  type DescribedLink,
  type DescribeDeps,
  type Identify,
} from './describing/describe.ts'
import { createAddVisits, type AddVisits } from './import/visits.ts'
import { asOfResponse, type AsOf } from './statistics/as-of.ts'
import { openRecorder, type Recorder, type RecorderOptions } from './recorder.ts'
import { createReferrerParser } from './describing/referrer.ts'

/** Records visits as scans, and reads statistics of them. */
export interface Scans extends Omit<Recorder, 'keys' | 'record'> {
  /** Records the visit of a link, then calls `recorded`, also when recording failed. */
  record: (request: IncomingMessage, link: DescribedLink, recorded: () => void) => void
  /** The same for a scan that `describe` has returned. */
  recordScan: Recorder['record']
  describe: Describe
  identify: Identify
  agentOf: AgentOf
  /** How long raw scans are stored, in milliseconds; Infinity for ever. */
  retention: number
  /** Adds visits that another service has recorded, part by part. */
  addVisits: AddVisits
  /** Reads the totals of a link, with all visits until now if the fold succeeds in time. */
  latestTotals: (linkId: number) => Promise<Totals>
  /** The same, with until when scans are included if some are missing. */
  statedTotals: (linkId: number) => Promise<StatedTotals>
  /** Waits for the fold as `awaitFold` does, and says until when scans are included in what is read then. */
  foldedAsOf: () => Promise<AsOf>
}

/** What scans need of the rest of the program. */
export interface ScansNeeds extends RecorderOptions, Pick<DescribeDeps, 'client' | 'countryHeader' | 'findPlace'> {
  /** Whether a host name is the service's own, and therefore not a referrer. */
  isOwnHost: (host: string) => boolean
}

/** @throws {StartError} when `scans.db` cannot be used, or belongs to other links; it is not changed then */
export async function openScans({
  isOwnHost,
  client,
  countryHeader,
  findPlace,
  ...options
}: ScansNeeds): Promise<Scans> {
  const { keys, record, ...recorder } = await openRecorder(options)
  const deps = {
    now: options.now,
    client,
    keys,
    countryHeader,
    findPlace,
    parseAgent: createAgentParser(),
    parseReferrer: createReferrerParser(isOwnHost),
  }
  const describe = createDescribe(deps)
  const foldedAsOf = async () => asOfResponse(await recorder.oldestUnfolded(), (await recorder.othersAsOf()).as_of)
  return {
    ...recorder,
    record: (request, link, recorded) => record(describe(request, link), recorded),
    recordScan: record,
    describe,
    identify: createIdentify(deps),
    agentOf: createAgentOf(deps),
    retention: options.retention,
    addVisits: createAddVisits({ ...deps, addPart: recorder.addPart }),
    latestTotals: (linkId) => recorder.awaitFold().then(() => recorder.totals(linkId)),
    async statedTotals(linkId) {
      const asOf = await foldedAsOf()
      return { totals: await recorder.totals(linkId), ...asOf }
    },
    foldedAsOf,
  }
}
