import type { OperatorOperations } from '../../operator/socket.ts'
import { MAX_TEXT } from '../../dimensions/cells.ts'
import { isObject } from '../../http/body.ts'
import { invalidRequest, Problem } from '../../http/problem.ts'
import type { Links } from '../../links/open.ts'
import { isDigest, isPosition, MAX_PART_ROWS } from './operator.ts'
import type { Taken } from './part.ts'
import { CLOCK_SKEW_MS } from './records.ts'
import type { AddVisits, ForeignVisit, VisitPart } from './visits.ts'

/** Characters of a user agent or a referrer that are read: of a longer one, the rest says nothing. */
export const MAX_HEADER = 512
const MAX_CLICKS = 1e12

/** What the operation needs of the rest of the program. */
export interface VisitNeeds {
  links: Pick<Links, 'findByToken'>
  scans: { addVisits: AddVisits }
  now: () => number
}

/** The operation that adds visits from another service to the link of a token, part by part, as `import_part` adds a bundle. */
export function visitOperations({ links, scans, now }: VisitNeeds): OperatorOperations {
  return {
    async import_visits(input): Promise<Taken> {
      const part = readPart(input, now() + CLOCK_SKEW_MS)
      const { id: linkId } = await links.findByToken(String(input['token']))
      const taken = await scans.addVisits({ ...part, linkId })
      if (taken === undefined) throw new Problem('unknown_token', 'the link was deleted')
      return taken
    },
  }
}

/** @throws {Problem} 400 for what is no part */
function readPart(input: Record<string, unknown>, latest: number): Omit<VisitPart, 'linkId'> {
  const { bundle, position, visits, rest } = input
  const faults = {
    '/bundle': !isDigest(bundle) && 'must be a SHA-256',
    '/position': !isPosition(position) && 'must be a number of rows',
    '/visits': !isVisits(visits, latest) && `must be a list of 1 to ${MAX_PART_ROWS} visits from 1970 until now`,
    '/rest': !isRest(rest, latest) && 'must be a time from 1970 until now, and a number of clicks',
  }
  const errors = Object.entries(faults).flatMap(([pointer, detail]) => (detail === false ? [] : [{ pointer, detail }]))
  if (errors.length > 0) throw invalidRequest(errors)
  return { bundle, position, visits, rest } as Omit<VisitPart, 'linkId'>
}

function isVisits(value: unknown, latest: number): value is ForeignVisit[] {
  const isSome = Array.isArray(value) && value.length > 0 && value.length <= MAX_PART_ROWS
  return isSome && value.every((visit) => isVisit(visit, latest))
}

function isVisit(value: unknown, latest: number): boolean {
  if (!isObject(value)) return false
  const { at, agent, referrer, country, city, bot } = value
  const isCountry = country === null || (typeof country === 'string' && /^[A-Z]{2}$/.test(country))
  const isCity = city === null || (isText(city, MAX_TEXT) && !/\p{Cc}/u.test(city))
  return (
    isTime(at, latest) &&
    isText(agent, MAX_HEADER) &&
    isText(referrer, MAX_HEADER) &&
    isCountry &&
    isCity &&
    typeof bot === 'boolean'
  )
}

function isRest(value: unknown, latest: number): boolean {
  if (!isObject(value)) return false
  const { at, clicks } = value
  return isTime(at, latest) && Number.isSafeInteger(clicks) && Number(clicks) >= 0 && Number(clicks) <= MAX_CLICKS
}

function isTime(value: unknown, latest: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= latest
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length <= most && value.isWellFormed()
}
