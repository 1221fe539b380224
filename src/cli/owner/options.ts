import { readFileSync } from 'node:fs'
import { StartError } from '../../lib/start-error.ts'
import type { Flags } from '../../config/sources.ts'

/** The flags of every command for owners. */
export const serviceOptions = {
  server: { type: 'string', doc: 'the origin of the service [QUIRL_SERVER, config.json, http://localhost:3000]' },
  json: { type: 'boolean', doc: 'print the response of the API as JSON' },
} as const

/** The flags of every command about one link. */
export const ofLinkOptions = {
  ...serviceOptions,
  collection: {
    type: 'string',
    doc: 'the collection through which the link is found: its address, token or the name under which it was kept',
  },
} as const

/** The flags of every command that creates links. */
export const joiningOptions = {
  collection: {
    type: 'string',
    doc: 'the collection that they join: its address, token or the name under which it was kept',
  },
} as const

/** The flag of every command that creates. */
export const creationOptions = {
  'create-key': {
    type: 'string',
    doc: 'the access code of the service, where it asks for one [QUIRL_CREATE_KEY, config.json]',
  },
} as const

/** The flags of what a link has, which `shorten` sets and `edit` changes. */
export const linkOptions = {
  title: { type: 'string', doc: 'a title for the owner' },
  campaign: { type: 'string', doc: 'a tag for the owner, to group links' },
  look: { type: 'string', doc: 'the look of the collection that the QR images get' },
  'utm-source': { type: 'string', doc: 'the parameter utm_source of the destination; so are the others' },
  'utm-medium': { type: 'string', doc: '' },
  'utm-campaign': { type: 'string', doc: '' },
  'utm-term': { type: 'string', doc: '' },
  'utm-content': { type: 'string', doc: '' },
  fields: {
    type: 'string',
    doc: "a JSON file with further fields of the API, such as a contact's; - is standard input",
  },
} as const

/** The fields that the flags set. @throws {StartError} when the file of `--fields` has no JSON object */
export function readFields(flags: Flags): Record<string, unknown> {
  const utm = Object.fromEntries(
    ['source', 'medium', 'campaign', 'term', 'content'].flatMap((name) => {
      const value = flags[`utm-${name}`]
      return value === undefined ? [] : [[`utm_${name}`, value]]
    }),
  )
  const given = (name: string) => (flags[name] === undefined ? {} : { [name]: flags[name] })
  return {
    ...(typeof flags['fields'] === 'string' && readJsonObject(flags['fields'], `--fields=${flags['fields']}`)),
    ...given('title'),
    ...given('campaign'),
    ...(flags['look'] !== undefined && { design: { look: flags['look'] } }),
    ...(Object.keys(utm).length > 0 && { utm }),
  }
}

/** @param named what the error names @throws {StartError} when the file has no JSON object; - is standard input */
export function readJsonObject(file: string, named: string): object {
  try {
    const value = JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8')) as unknown
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError('not a JSON object')
    return value
  } catch (error) {
    throw new StartError(`${named}: ${(error as Error).message}`, { cause: error })
  }
}

/** The text of a response: as JSON with `--json`, else for people. */
export function printed<T>(flags: Flags, data: T, forPeople: (data: T) => string): string {
  return flags['json'] === true ? JSON.stringify(data, undefined, 2) : forPeople(data)
}

/** What the service warns of, for standard error. */
export function warningOf(warnings: { detail: string }[] = []): { warning?: string } {
  return warnings.length === 0 ? {} : { warning: warnings.map(({ detail }) => detail).join('\nquirl: ') }
}
