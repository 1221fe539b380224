import { createAgentReader } from './agent.ts'
import { createDescribe, type Describe, type DescribeDeps } from './describe.ts'
import { openPlaces } from '../places/open.ts'
import { createReferrerReader } from './referrer.ts'

interface DescribeNeeds extends Pick<DescribeDeps, 'now' | 'client' | 'keys' | 'countryHeader'> {
  /** The file of places; unset, the bundled one. */
  geoipDb: string | undefined
  isOwnHost: (host: string) => boolean
  log: { warn: (text: string) => void }
}

/** Opens what visits are described with. */
export async function openDescribe({ geoipDb, isOwnHost, log, ...deps }: DescribeNeeds): Promise<Describe> {
  const places = openPlaces(geoipDb, deps.now)
  for (const warning of places.warnings) log.warn(warning)
  return createDescribe({
    ...deps,
    readAgent: createAgentReader(),
    readReferrer: createReferrerReader(isOwnHost),
    findPlace: places.find,
  })
}
