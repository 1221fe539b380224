import type { ListedHost, Screening } from './screen.ts'

interface OwnListedNeeds {
  /** The service's own host; undefined when it has none. */
  ownHost: string | undefined
  listingOf: Screening['listingOf']
  log: { warn: (details: object, text: string) => void }
}

/** Whether a list has the service's own host, or something on it: the operator wants to know, and links are not judged by that. */
export interface OwnListed {
  find: () => ListedHost | undefined
  /** Says so in the log, once for each list. */
  tell: () => void
}

export function createOwnListed({ ownHost, listingOf, log }: OwnListedNeeds): OwnListed {
  const told = new Set<string>()
  const find = () => (ownHost === undefined ? undefined : listingOf(ownHost))
  return {
    find,
    tell() {
      const found = find()
      if (found === undefined || told.has(found.list)) return
      told.add(found.list)
      log.warn(found, 'a list names this service itself: no link is blocked for that; ask its publisher why')
    },
  }
}
