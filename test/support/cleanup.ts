import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

/** What tests and hooks have in common: something to do when they end. */
export interface Ending {
  after: (work: () => Promise<void> | void) => void
}

const stacks = new WeakMap<Ending, AsyncDisposableStack>()

/** Notes what to undo when the test ends: the last thing first, whatever the runner's own order is. */
export function undoLater(t: Ending, undo: () => Promise<void> | void): void {
  let stack = stacks.get(t)
  if (stack === undefined) {
    const created = new AsyncDisposableStack()
    stacks.set(t, (stack = created))
    t.after(() => created.disposeAsync())
  }
  stack.defer(undo)
}

/** The end of the test file, for what all its tests share. To be called while the file is loaded. */
export function endOfFile(): Ending {
  const works: (() => Promise<void> | void)[] = []
  after(async () => {
    for (const work of works.toReversed()) await work()
  })
  return { after: (work) => void works.push(work) }
}

/** An empty folder that goes with the test. */
export function temporaryFolder(t: Ending): string {
  const folder = mkdtempSync(join(tmpdir(), 'quirl-test-'))
  undoLater(t, () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
