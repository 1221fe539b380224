import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { undoLater, type Ending } from './cleanup.ts'

/** Holds the write lock of a database until its standard input ends. */
const HOLD_LOCK = `
  const { DatabaseSync } = require('node:sqlite')
  const db = new DatabaseSync(process.argv[1], { timeout: 60_000 })
  db.exec('begin immediate')
  console.log('held')
  process.stdin.on('end', () => db.exec('rollback')).resume()`

/** Makes another process hold the write lock of a database until the returned function is called. */
export async function holdLock(t: Ending, file: string): Promise<() => void> {
  const holder = spawn(process.execPath, ['-e', HOLD_LOCK, file], { stdio: ['pipe', 'pipe', 'inherit'] })
  const left = once(holder, 'exit')
  undoLater(t, async () => {
    holder.kill('SIGKILL')
    await left
  })
  await once(holder.stdout, 'data')
  return () => void holder.stdin.end()
}
