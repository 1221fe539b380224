import { copyTables, verifyCopied, type Copied, type Move } from './copy.ts'
import { until } from './hold.ts'
import { planOf } from './plan.ts'
import type { Source } from './source.ts'
import type { Target } from './target.ts'

/** What a move needs; the clock is monotonic, in milliseconds. */
export interface MigrateOptions {
  source: Source
  target: Target
  monotonic: () => number
  /** Called with the next step. */
  onStep: (step: string) => void
  onPage: Move['onPage']
}

/** What was moved. */
export interface Migrated {
  tables: Copied[]
  /** How long changes were refused by running services, in milliseconds; undefined when none was running. */
  refusedMs: number | undefined
}

/**
 * Makes the target equal to the source, verifies it, and hands the service over: the source is closed for changes, the
 * target is opened. May be interrupted at any time and called again.
 * @throws {StartError} when a table of the copy differs, and at once when the source no longer waits, or the target is lost
 */
export async function migrate(options: MigrateOptions): Promise<Migrated> {
  const signal = AbortSignal.any([options.source.lost, options.target.lost])
  return until(signal, () => copyAndFinish(options, signal))
}

async function copyAndFinish(options: MigrateOptions, signal: AbortSignal): Promise<Migrated> {
  const { source, target, monotonic, onStep, onPage } = options
  const tables = planOf(source.store.tables, target.store.tables)
  const move: Move = { source: source.store, target: target.store, tables, onPage, signal }
  onStep('copying')
  let copied = await copyTables(move)
  let from: number | undefined
  if (source.isInUse) {
    onStep('copying what has changed meanwhile')
    await copyTables(move)
    await source.holdScans()
    const scans = await copyTables({ ...move, tables: tables.filter(({ group }) => group === 'scans') })
    await verifyCopied(move, scans)
    from = monotonic()
    await source.holdChanges()
    onStep('copying the last changes, while changes are refused')
    copied = [...(await copyTables({ ...move, tables: tables.filter(({ group }) => group === 'links') })), ...scans]
  }
  onStep('comparing')
  await verifyCopied(
    move,
    copied.filter(({ table }) => from === undefined || table.group === 'links'),
  )
  signal.throwIfAborted()
  await source.finish()
  await target.finish()
  return { tables: copied, refusedMs: from === undefined ? undefined : monotonic() - from }
}
