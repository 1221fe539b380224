// Preloaded by `npm test` where dist/server is of these sources: threads run its files, as those of the program do. A thread loads
// one file there instead of up to a hundred, which takes half of its CPU time, and each server of a test starts some.
import { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import threads, { isMainThread, type WorkerOptions } from 'node:worker_threads'

const root = resolve(import.meta.dirname, '../..')

/** The file of the bundle for a thread of the program; undefined for a thread of a test. */
function bundledOf(module: string | URL): string | undefined {
  if (!(module instanceof URL) || module.protocol !== 'file:') return undefined
  const file = fileURLToPath(module)
  const bundled = resolve(root, 'dist/server', basename(file).replace(/\.ts$/, '.js'))
  return file.startsWith(resolve(root, 'src')) && file.endsWith('-thread.ts') && existsSync(bundled)
    ? bundled
    : undefined
}

if (isMainThread) {
  const { Worker } = threads
  threads.Worker = class extends Worker {
    constructor(module: string | URL, options?: WorkerOptions) {
      const bundled = bundledOf(module)
      // What tests preload is for their own thread.
      super(bundled ?? module, bundled === undefined ? options : { ...options, execArgv: [] })
    }
  }
  syncBuiltinESMExports()
}
