import { StartError } from '../../lib/start-error.ts'

/** Asks in which encoding a database keeps its texts. */
export const ENCODING = `select current_setting('server_encoding') as encoding`

export interface Encoded {
  encoding: string
}

/** What is wrong with the encoding of a database, and what to do; undefined when it is UTF-8. */
export function encodingFault({ encoding }: Encoded): string | undefined {
  if (encoding === 'UTF8') return undefined
  const checked = encoding === 'SQL_ASCII' ? 'checks no text' : 'does not have all letters'
  // The locale of the server may be one of another encoding.
  const create = `CREATE DATABASE quirl ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0`
  return `its encoding is ${encoding}, which ${checked}: name a database that was created by ${create}`
}

/**
 * Requires that a database can have each text that quirl takes.
 * @param where names the database in the error
 * @throws {StartError}
 */
export function requireUtf8(found: Encoded | undefined, where: string): void {
  const fault = encodingFault(found ?? { encoding: 'unknown' })
  if (fault !== undefined) throw new StartError(`${where} cannot be used: ${fault}`)
}
