import { readFileSync } from 'node:fs'
import { bundleFiles } from '../../links/bundle.ts'
import type { ImportedRows } from '../../links/import/operator.ts'
import { isObject } from '../../http/body.ts'
import { StartError } from '../../lib/start-error.ts'
import type { Taken } from '../../scans/import/part.ts'
import { MAX_PART_ROWS } from '../../scans/import/operator.ts'
import { exportedTables, type TableName } from '../../scans/statistics/export.ts'
import type { CommandContext } from '../command.ts'
import { createProgress } from '../progress.ts'
import { openBundle, type Bundle, type BundledLink } from './bundle-file.ts'
import type { KeysFile } from './keys-file.ts'
import { warningsOf, withWarnings, type Report } from './report.ts'

export interface BundleOptions {
  /** Opens the file of tokens, once the bundle is found to be whole. */
  openKeys: () => KeysFile
  isDryRun: boolean
  /** Has the new password of a link that is protected. */
  passwordFile: string | undefined
}

/** Creates the link of a bundle under its code, and adds what it has counted. A repeated call adds nothing twice. */
export async function importBundle(
  { call }: Pick<CommandContext, 'call'>,
  file: string,
  { openKeys, isDryRun, passwordFile }: BundleOptions,
): Promise<Report> {
  const password = passwordFile === undefined ? undefined : readPassword(passwordFile)
  const bundle = await openBundle(file)
  try {
    const { link, clicks } = bundle
    const { code } = link
    const refuse = (reason: string): Report => {
      return { created: 0, present: 0, clicks: 0, refused: [{ place: bundleFiles.link, code, reason }] }
    }
    const obstacle = obstacleOf(link, password)
    if (obstacle !== undefined) return refuse(obstacle)
    const keys = openKeys()
    const [token = ''] = keys.tokensOf([code])
    const rows = [{ ...fieldsOf(link), password, token }]
    const { results, origin } = (await call('import', { rows, dry_run: isDryRun })) as ImportedRows
    const [result] = results
    if (result === undefined || 'error' in result) {
      keys.finish([])
      return refuse(result?.error.detail ?? 'has no result')
    }
    const isAdded = isDryRun || (await addTables(call, bundle, token))
    keys.finish([{ code, token, manageUrl: `${origin}/m/${token}` }])
    if (!isAdded) return refuse('was imported before with other counts, which stay')
    const isPresent = result.state === 'present'
    const warnings = withWarnings(warningsOf(result, bundleFiles.link, code))
    return { created: isPresent ? 0 : 1, present: isPresent ? 1 : 0, clicks, refused: [], ...warnings }
  } finally {
    bundle.close()
  }
}

/** The first line of the file. */
function readPassword(file: string): string {
  try {
    const [line = ''] = readFileSync(file, 'utf8').split(/\r?\n/, 1)
    return line
  } catch (error) {
    throw new StartError(`--password-file=${file}: ${(error as Error).message}`, { cause: error })
  }
}

/** What the link would lose: it would be open, or be back. */
function obstacleOf({ has_password: isProtected, removed }: BundledLink, password: string | undefined) {
  if (removed !== null && removed !== undefined) return 'was blocked for abuse there'
  if (isProtected !== false && password === undefined)
    return 'has a password, which the bundle does not have: give a new one with --password-file'
  return undefined
}

const names = [
  'kind',
  'target',
  'title',
  'campaign',
  'utm',
  'rules',
  'placements',
  'active',
  'design',
  'created_at',
] as const

/** What a creation has; empty fields are null in a bundle, and absent in a creation. */
function fieldsOf(link: BundledLink): Record<string, unknown> {
  const fields = names.map((name) => [name, link[name]] as const)
  const { payload } = link
  const own = isObject(payload) ? { payload: withoutNull(Object.entries(payload)) } : {}
  return { ...withoutNull(fields), ...own, alias: link.code }
}

function withoutNull(fields: readonly (readonly [name: string, value: unknown])[]): Record<string, unknown> {
  return Object.fromEntries(fields.filter(([, value]) => value !== null && value !== undefined))
}

/** Adds the tables to the link of the token. @returns false when it has taken the counts of another bundle */
async function addTables(call: CommandContext['call'], bundle: Bundle, token: string): Promise<boolean> {
  const { totals } = bundle.link
  const last = isObject(totals) ? (totals['last_scan_at'] ?? null) : null
  const progress = createProgress()
  const send = (part: { position: number }) => {
    progress.show(`${part.position} rows of counts and scans`)
    return call('import_part', { ...part, bundle: bundle.digest, token, last_scan_at: last }) as Promise<Taken>
  }
  try {
    return await sendPieces(bundle, send)
  } finally {
    progress.end()
  }
}

async function sendPieces(bundle: Bundle, send: (part: { position: number }) => Promise<Taken>): Promise<boolean> {
  // Rows that are there: an earlier run may have added some.
  let taken = 0
  for await (const piece of piecesOf(bundle))
    for (const end = piece.at + piece.records.length; taken < end;) {
      const now = await send(restOf(piece, taken))
      if (now.bundle !== bundle.digest) return false
      if (now.position <= taken) throw new StartError(`${bundleFiles[piece.table]}: the service takes no rows of it`)
      taken = now.position
    }
  return true
}

interface Piece {
  table: TableName
  /** The number of records before, of all tables. */
  at: number
  records: string[][]
}

/** What is to be sent of a piece when the service has so many rows. */
function restOf({ table, at, records }: Piece, taken: number) {
  return { table, position: taken, records: records.slice(Math.max(0, taken - at)) }
}

async function* piecesOf(bundle: Bundle): AsyncGenerator<Piece> {
  let at = 0
  for (const table of Object.keys(exportedTables) as TableName[])
    for await (const records of bundle.read(table, MAX_PART_ROWS)) {
      yield { table, at, records }
      at += records.length
    }
}
