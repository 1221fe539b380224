import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

/** A test or a hook, which runs work when it ends. */
export interface Ending {
  after: (work: () => Promise<void> | void) => void
}

const stacks = new WeakMap<Ending, AsyncDisposableStack>()
/** Those that run what is registered in reverse order themselves. */
const reversed = new WeakSet<Ending>()

/** Registers cleanup for the end of the test, in reverse order of registration, unlike the runner's `after`. */
export function undoLater(t: Ending, undo: () => Promise<void> | void): void {
  if (reversed.has(t)) return t.after(undo)
  let stack = stacks.get(t)
  if (stack === undefined) {
    const created = new AsyncDisposableStack()
    stacks.set(t, (stack = created))
    t.after(() => created.disposeAsync())
  }
  stack.defer(undo)
}

const atEnd: (() => Promise<void> | void)[] = []

/**
 * The end of the test file, for resources that its tests share, and of all files that run in one process. They end in
 * reverse order: a server before the store that it uses. Call it while the file loads.
 */
export function endOfFile(): Ending {
  if (atEnd.length === 0) {
    after(async () => {
      for (const work of atEnd.toReversed()) await work()
    })
    atEnd.push(() => {})
  }
  const end: Ending = { after: (work) => void atEnd.push(work) }
  reversed.add(end)
  return end
}

/** Creates an empty folder that is removed when the test ends. */
export function temporaryFolder(t: Ending): string {
  const folder = mkdtempSync(join(tmpdir(), 'quirl-test-'))
  undoLater(t, () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
