import { kindNames } from '../links/kinds/index.ts'
import type { LinksResult, ListedLink } from '../links/listing/operator.ts'
import { StartError } from '../lib/start-error.ts'
import { singleArgument } from './arguments.ts'
import type { CallOperation } from '../operator/client.ts'
import type { Flags } from '../config/sources.ts'
import type { Command, CommandContext, CommandResult } from './command.ts'
import { formatOf, linesOf, type LinkFormat } from './links-formats.ts'
import { createProgress, undoOnSignal } from './progress.ts'
import { pluralize } from '../lib/pluralize.ts'
import { existsSync, rmSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { syncPath } from '../lib/sync-path.ts'
import { openStandardOutput, type Output } from './output.ts'

/** Links of one call. */
const PER_CALL = 250
const DEFAULT_LIMIT = 50
const MAX_LIMIT = 1000

const conditions = {
  host: { type: 'string', doc: 'only links that lead to this host' },
  domain: { type: 'string', doc: 'only links that lead to this host, or to one under it' },
  code: { type: 'string', doc: 'only the link of this code' },
  text: { type: 'string', doc: 'only links with this text in their title, or in a URL that they lead to' },
  kind: { type: 'string', doc: kindNames },
  since: { type: 'string', doc: 'only links created on this day or later, such as 2026-11-23, in UTC' },
  until: { type: 'string', doc: 'only links created on this day or earlier' },
  removed: { type: 'boolean', doc: 'only links that are blocked for abuse, the last ones first' },
  suspended: { type: 'boolean', doc: 'the same' },
  paused: { type: 'boolean', doc: 'only links that their owners have paused' },
  deleted: { type: 'boolean', doc: 'only links that their owners have deleted and can bring back for a day' },
} as const

export const links: Command = {
  name: 'links',
  usage: '[export <file>]',
  summary: 'list and search links, or export all of them, or those of a search, to a file or to standard output',
  options: {
    ...conditions,
    limit: { type: 'string', doc: `how many to list, at most ${MAX_LIMIT} [${DEFAULT_LIMIT}]` },
    cursor: { type: 'string', doc: 'go on after an earlier result' },
    json: { type: 'boolean', doc: 'print a line of JSON for each link; so does the export' },
    csv: { type: 'boolean', doc: 'print or export a table' },
  },
  async run(context) {
    const [verb, ...rest] = context.args
    if (verb === undefined) return list(context)
    if (verb !== 'export')
      throw new StartError(`"quirl links" has no "${verb}": give "export" and a file, or nothing to list`)
    if (context.flags['limit'] !== undefined) throw new StartError('--limit is for lists: an export has all links')
    const file = singleArgument(rest, 'file, or - for standard output')
    return exportLinks(
      file,
      formatOf(context.flags, 'json'),
      pagesOf(context.call, context.flags, { left: () => PER_CALL, oldest_first: true }),
    )
  },
}

async function list({ call, flags }: CommandContext): Promise<CommandResult> {
  const format = formatOf(flags, 'table')
  const limit = readLimit(flags['limit'])
  const progress = createProgress()
  const found: ListedLink[] = []
  let [cursor, looked]: [string | null, number] = [null, 0]
  try {
    for await (const page of pagesOf(call, flags, { left: () => limit - found.length, oldest_first: false })) {
      found.push(...page.links)
      cursor = page.cursor
      looked += page.looked
      progress.show(`${looked.toLocaleString('en')} links were looked at, ${found.length} found …`)
      if (found.length >= limit) break
    }
  } finally {
    progress.end()
  }
  if (found.length === 0 && format === 'table') return { text: 'no such link', status: 0 }
  const text = linesOf(format, found, true)
  return cursor === null ? { text, status: 0 } : { text, warning: `to go on, add --cursor=${cursor}`, status: 0 }
}

interface Paging {
  /** How many links are still wanted. */
  left: () => number
  oldest_first: boolean
}

/** The pages of a search: each call looks at a bounded number of links. */
async function* pagesOf(call: CallOperation, flags: Flags, { left, ...order }: Paging): AsyncGenerator<LinksResult> {
  const { suspended, removed = suspended } = flags
  const given = Object.keys(conditions).map((name) => [name, flags[name]])
  const filter = { ...Object.fromEntries(given), ...order, removed, suspended: undefined } as object
  let { cursor } = flags
  for (;;) {
    const page = (await call('links', { ...filter, cursor, limit: Math.min(left(), PER_CALL) })) as LinksResult
    yield page
    if (page.cursor === null) return
    cursor = page.cursor
  }
}

function readLimit(given: Flags[string]): number {
  if (given === undefined) return DEFAULT_LIMIT
  const limit = /^\d{1,4}$/.test(String(given)) ? Number(given) : 0
  if (limit >= 1 && limit <= MAX_LIMIT) return limit
  throw new StartError(
    `--limit=${String(given)} must be a whole number from 1 to ${MAX_LIMIT}; "quirl links export" has no limit`,
  )
}

/** Where an export is written, page by page. */
interface ExportOutput extends Output {
  /** Makes what was written the export. */
  finish: () => Promise<void>
  /** Removes what was written, after an error. */
  abandon: () => Promise<void>
}

/**
 * Writes the links of all pages. A file has its name only once all links are in it; of standard output, the exit status
 * says so.
 * @throws {StartError} when an output cannot be written, or the service cannot be reached any more
 */
async function exportLinks(
  file: string,
  format: LinkFormat,
  pages: AsyncIterable<LinksResult>,
): Promise<CommandResult> {
  const progress = createProgress()
  const output = file === '-' ? toStandardOutput() : await toFile(file)
  let [written, looked] = [0, 0]
  try {
    await output.write(linesOf(format, [], true))
    for await (const { links, looked: more } of pages) {
      await output.write(linesOf(format, links, false))
      written += links.length
      looked += more
      progress.show(`${written.toLocaleString('en')} links of ${looked.toLocaleString('en')} …`)
    }
    await output.finish()
  } catch (error) {
    await output.abandon()
    if (!(error instanceof Error) || (!(error instanceof StartError) && !('syscall' in error))) throw error
    throw new StartError(`the export ended after ${pluralize(written, 'link')}, and is not whole: ${error.message}`, {
      cause: error,
    })
  } finally {
    progress.end()
  }
  const count = pluralize(written, 'link')
  return file === '-'
    ? { text: '', warning: `${count}: the export is whole`, status: 0 }
    : { text: `${file} has ${count}`, status: 0 }
}

/** A new file that only its user can read: titles and contacts are their owners'. */
async function toFile(file: string): Promise<ExportOutput> {
  const draft = `${file}.unfinished`
  if (existsSync(file)) throw new StartError(`${file} exists already`)
  const handle = await open(draft, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw new StartError(`${file} cannot be written: ${error.message}`, { cause: error })
    throw new StartError(`${draft} exists: another export writes it, or was killed; then remove it`)
  })
  const remove = () => rmSync(draft, { force: true })
  const stop = undoOnSignal(remove)
  return {
    write: (text) => handle.writeFile(text),
    async finish() {
      await handle.sync()
      await handle.close()
      await rename(draft, file)
      syncPath(dirname(resolve(file)))
      stop()
    },
    async abandon() {
      await handle.close().catch(() => {})
      remove()
      stop()
    },
  }
}

function toStandardOutput(): ExportOutput {
  return { ...openStandardOutput(), async finish() {}, async abandon() {} }
}
