import { isPublicName } from '../lib/public-name.ts'

/** A list of malicious hosts and URLs. */
export interface ListSource {
  /** A file or URL. */
  source: string
  /** Whether it is one of `recommended`, and the operator has not named it: the service does not wait for it. */
  isRecommended: boolean
}

/**
 * The lists that `recommended` stands for: those that need no key, and whose terms allow to screen one's own links.
 * docs/abuse.md has the terms of each, and where they are stated.
 */
export const recommendedLists = [
  'https://urlhaus.abuse.ch/downloads/text_online/',
  'https://openphish.com/feed.txt',
  'https://raw.githubusercontent.com/Phishing-Database/Phishing.Database/master/phishing-domains-ACTIVE.txt',
  'https://raw.githubusercontent.com/Phishing-Database/Phishing.Database/master/phishing-links-ACTIVE.txt',
] as const

/** What decides which lists are used. */
export interface ListSettings {
  /** The lists that the operator has chosen. */
  abuseFeeds: { named: string[]; withRecommended: boolean } | undefined
  baseUrl: string | undefined
  /** Who may create links. */
  create: 'open' | 'token' | 'closed'
}

/** The lists that the settings choose, each once; a recommended one that is named as well is the operator's. */
export function listSourcesOf(settings: ListSettings, recommended: readonly string[] = recommendedLists): ListSource[] {
  const { named, withRecommended } = settings.abuseFeeds ?? { named: [], withRecommended: isOpenToPublic(settings) }
  const further = withRecommended ? recommended.filter((source) => !named.includes(source)) : []
  return [
    ...named.map((source) => ({ source, isRecommended: false })),
    ...further.map((source) => ({ source, isRecommended: true })),
  ]
}

/** Whether anybody may create links of a public name: what is created there must be compared with lists. */
export function isOpenToPublic({ baseUrl, create }: Omit<ListSettings, 'abuseFeeds'>): boolean {
  return create === 'open' && baseUrl !== undefined && isPublicName(new URL(baseUrl).hostname)
}
