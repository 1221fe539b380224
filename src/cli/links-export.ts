import { pluralize } from '../lib/pluralize.ts'
import { existsSync, rmSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { StartError } from '../lib/start-error.ts'
import { syncPath } from '../lib/sync-path.ts'
import type { LinksResult } from '../links/listing/operator.ts'
import type { CommandResult } from './command.ts'
import { linesOf, type LinkFormat } from './links-formats.ts'
import { openStandardOutput, type Output } from './output.ts'
import { createProgress, undoOnSignal } from './progress.ts'

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
export async function exportLinks(
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
