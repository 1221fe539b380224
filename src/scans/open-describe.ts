import { createAgentReader } from './agent.ts'
import { createDescribe, type Describe, type DescribeDeps } from './describe.ts'
import { createReferrerReader } from './referrer.ts'

interface DescribeNeeds extends Pick<DescribeDeps, 'now' | 'client' | 'keys' | 'countryHeader' | 'findPlace'> {
  isOwnHost: (host: string) => boolean
}

/** Opens what visits are described with. */
export function openDescribe({ isOwnHost, ...deps }: DescribeNeeds): Describe {
  return createDescribe({
    ...deps,
    readAgent: createAgentReader(),
    readReferrer: createReferrerReader(isOwnHost),
  })
}
