import type { Problem } from '../../http/problem.ts'
import type { Credential } from '../../links/credential.ts'

/** How the owner of a link shows that it is theirs, and the paths below which everything of the link is. */
export interface OwnerAccess {
  credential: Credential
  /** The path of the page. */
  page: string
  /** The path of the same in the API. */
  api: string
  /** The path of the page of the collection through which the page is read, if it is one. */
  collection?: string
}

export function accessByToken(token: string): OwnerAccess {
  return { credential: token, page: `/m/${token}`, api: `/api/manage/${token}` }
}

export function accessInCollection(collectionToken: string, code: string): OwnerAccess {
  const collection = `/c/${collectionToken}`
  const api = `/api/collections/${collectionToken}/links/${code}`
  return { credential: { collectionToken, code }, page: `${collection}/${code}`, api, collection }
}

/** Whether a problem says that the link is not there, or not the client's any more. */
export function isUnknown({ code }: Problem): boolean {
  return code === 'unknown_token' || code === 'collection_not_found'
}
