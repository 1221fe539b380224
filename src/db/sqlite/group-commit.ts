import { createCurrentGroup, undo, type Writer } from './commit-group.ts'
import type { Durable } from './durable.ts'
import { createMutex } from '../mutex.ts'

/** The exclusive right to use the write connection. */
export interface WriteLock {
  /** Runs `work` in a savepoint: all of it or nothing. */
  savepoint: <T>(work: () => Promise<T>) => Promise<T>
  /** Passes the lock on; resolves when everything that was changed or read is durable. */
  release: () => Promise<void>
}

/** Changes that are committed in groups. */
export interface Groups {
  /** Waits for the write lock; first come, first served. */
  acquire: () => Promise<WriteLock>
  /**
   * Runs a statement, synchronously if the lock is free; resolves with its result when that is durable. A statement is
   * atomic by itself.
   */
  run: <T>(statement: () => T) => Promise<T>
  /** Commits the changes that are complete. */
  flush: () => void
  /** Fails all changes that are not committed. */
  end: () => void
}

/**
 * Group commit: changes use the write connection one at a time, and the changes of one iteration of the event loop are
 * committed together at its end, so that each page is written once. Each is atomic by a savepoint of its own.
 * @param onCommit called after each commit
 */
export function createGroups(writer: Writer, durable: Durable, onCommit: () => void): Groups {
  const mutex = createMutex()
  const { join, tryJoin, leave, flush, end } = createCurrentGroup(writer, durable, onCommit)

  async function acquire(): Promise<WriteLock> {
    const unlock = await mutex.acquire()
    try {
      const group = await join()
      group.isBusy = true
      const release = () => {
        const settled = leave(group)
        unlock()
        return settled
      }
      return { savepoint: (work) => runInSavepoint(writer, work), release }
    } catch (error) {
      unlock()
      throw error
    }
  }

  async function run<T>(statement: () => T): Promise<T> {
    const group = mutex.isFree() ? tryJoin() : undefined
    if (group === undefined) return runLocked(acquire, statement)
    try {
      return statement()
    } finally {
      await leave(group)
    }
  }

  return { acquire, run, flush, end }
}

async function runLocked<T>(acquire: Groups['acquire'], statement: () => T): Promise<T> {
  const lock = await acquire()
  try {
    return statement()
  } finally {
    await lock.release()
  }
}

async function runInSavepoint<T>(writer: Writer, work: () => Promise<T>): Promise<T> {
  writer.exec('savepoint part')
  try {
    const value = await work()
    writer.exec('release part')
    return value
  } catch (error) {
    undo(writer, 'rollback to part', 'release part')
    throw error
  }
}
