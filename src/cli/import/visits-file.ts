import { readdirSync, statSync } from 'node:fs'
import { join, parse } from 'node:path'
import { isObject } from '../../http/body.ts'
import { StartError } from '../../lib/start-error.ts'
import { placeNamed } from '../../places/record.ts'
import type { ForeignVisit } from '../../scans/import/visits.ts'
import { MAX_HEADER } from '../../scans/import/visits-operator.ts'
import { encodingNotes, readBytes, readText, requireSize } from '../table-file.ts'
import { timeIn } from './formats.ts'

/** A visit as Shlink's API tells it. */
export interface ReadVisit {
  visit: ForeignVisit
  /** The code that the name of its file says. */
  code: string | undefined
  /** The URL that was visited; older versions of Shlink do not say it, nor does any of visits that it has imported itself. */
  address: string | undefined
  /** Whether it was of no short URL. */
  isOrphan: boolean
}

/** The visits of a file. */
export interface VisitsFile {
  visits: ReadVisit[]
  /** What is to be said of it. */
  notes: string[]
}

/**
 * Reads the visits of Shlink: a file with those of all short URLs (`/visits/non-orphan`), or a folder with those of each
 * (`/short-urls/<code>/visits`) in `<code>.json`. One file is in memory at a time.
 * @throws {StartError} with the file and the visit, when one is broken or has something else
 */
export async function* readVisits(path: string): AsyncGenerator<VisitsFile> {
  for (const { file, code } of filesIn(path)) {
    try {
      const { text, encoding } = await readText(await readBytes(file))
      const pages = pagesIn(JSON.parse(text) as unknown)
      const rows = pages.flatMap(({ data }) => data)
      const visits = rows.map((row, at) => readVisit(row, code, `visit ${at + 1}`))
      const notes = [...encodingNotes(encoding), ...missingPages(pages)].map((note) => `${file}: ${note}`)
      yield { visits, notes }
    } catch (error) {
      if (!(error instanceof StartError || error instanceof SyntaxError)) throw error
      const { message } = error
      throw message.startsWith(file) ? error : new StartError(`${file}: ${message}`, { cause: error })
    }
  }
}

/** The files of a folder whose names are codes, or the file itself. */
function filesIn(path: string): { file: string; code: string | undefined }[] {
  try {
    if (path === '-' || !statSync(path).isDirectory()) return [{ file: path, code: undefined }]
    const names = readdirSync(path).filter((name) => name.endsWith('.json'))
    if (names.length === 0) throw new StartError('it has no file <code>.json')
    const files = names.map((name) => ({ file: join(path, name), code: parse(name).name }))
    requireSize(files.reduce((sum, { file }) => sum + statSync(file).size, 0))
    return files
  } catch (error) {
    throw new StartError(`--visits=${path}: ${(error as Error).message}`, { cause: error })
  }
}

/** A page of a list of visits. */
interface Page {
  data: unknown[]
  current: number | undefined
  /** How many pages there are. */
  count: number
}

/** One page, or several in a list. @throws {StartError} when there is something else, or a page twice */
function pagesIn(document: unknown): Page[] {
  const parts = Array.isArray(document) && document.length > 0 ? document : [document]
  const pages = parts.map((part) => pageOf(part))
  const numbers = new Set<number>()
  for (const { current } of pages) {
    if (current === undefined) continue
    if (numbers.has(current)) throw new StartError(`it has page ${current} twice: what both have would count twice`)
    numbers.add(current)
  }
  return pages
}

function pageOf(part: unknown): Page {
  const visits = isObject(part) ? part['visits'] : undefined
  if (!isObject(visits) || !Array.isArray(visits['data']))
    throw new StartError('it has no list of visits (visits.data), as GET /rest/v3/visits/non-orphan returns it')
  const pagination = isObject(visits['pagination']) ? visits['pagination'] : {}
  const { currentPage: current, pagesCount: count } = pagination
  const numberOr = <T>(value: unknown, other: T) => (typeof value === 'number' ? value : other)
  return { data: visits['data'], current: numberOr(current, undefined), count: numberOr(count, 1) }
}

function missingPages(pages: Page[]): string[] {
  const count = pages.reduce((most, page) => Math.max(most, page.count), 0)
  return pages.length < count ? [`has ${pages.length} of ${count} pages of visits`] : []
}

/** @throws {StartError} when it is no visit */
function readVisit(row: unknown, code: string | undefined, place: string): ReadVisit {
  if (!isObject(row)) throw new StartError(`${place} is not an object`)
  const { date, userAgent, referer, visitLocation, potentialBot, visitedUrl, type } = row
  const location = isObject(visitLocation) ? visitLocation : {}
  const { country, city } = placeNamed({
    country: textOrNone(location['countryCode']),
    city: textOrNone(location['cityName']),
    region: textOrNone(location['regionName']),
  })
  const visit = {
    at: timeOf(date, place),
    agent: headerOf(userAgent),
    referrer: headerOf(referer),
    country,
    city,
    bot: potentialBot === true,
  }
  return { visit, code, address: textOrNone(visitedUrl), isOrphan: type !== undefined && type !== null }
}

function timeOf(date: unknown, place: string): number {
  try {
    const time = typeof date === 'string' ? timeIn(date) : undefined
    if (time !== undefined) return Date.parse(time)
  } catch (error) {
    throw new StartError(`${place}: ${(error as Error).message}`, { cause: error })
  }
  throw new StartError(`${place} has no date`)
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function headerOf(value: unknown): string {
  return (textOrNone(value) ?? '').slice(0, MAX_HEADER).toWellFormed()
}
