import type { Durable } from './durable.ts'
import { StoreUnavailable } from '../unavailable.ts'

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

/** The write connection, as groups use it. */
export interface Writer {
  /** Takes the write lock, and waits while another process holds it. */
  begin: () => Promise<void>
  /** Takes the write lock, unless another process holds it. */
  tryBegin: () => boolean
  /** @throws what SQLite throws; the transaction may have ended then */
  exec: (command: Command) => void
  isOpen: () => boolean
  isTransaction: () => boolean
  /** Whether anything was changed since the last call. */
  takeChanged: () => boolean
}

type Command = 'commit' | 'rollback' | 'savepoint part' | 'release part' | 'rollback to part'

/** Changes that are committed in one transaction of SQLite. */
interface Group {
  /** Settles when all its changes are durable, or none was committed. */
  outcome: PromiseWithResolvers<void>
  /** Whether a change holds the write connection. */
  isBusy: boolean
  /** Whether the iteration of the event loop in which it began is over. */
  isDue: boolean
}

/** The group of the changes that are made now. */
interface CurrentGroup {
  /** Returns the open group, or begins one. */
  join: () => Promise<Group>
  /** The same without waiting; undefined while another process holds the write lock. */
  tryJoin: () => Group | undefined
  /** Resolves when the group is durable. */
  leave: (group: Group) => Promise<void>
  /** Commits the open group, unless a change holds the write connection. */
  flush: () => void
  /** Fails the open group. */
  end: () => void
}

/** @param onCommit called after each commit */
function createCurrentGroup(writer: Writer, durable: Durable, onCommit: () => void): CurrentGroup {
  const state: State = { writer, durable, onCommit, open: undefined }
  return {
    async join() {
      if (state.open !== undefined) return state.open
      await writer.begin()
      return begin(state)
    },
    tryJoin: () => state.open ?? (writer.tryBegin() ? begin(state) : undefined),
    leave(group) {
      group.isBusy = false
      if (!writer.isOpen() || !writer.isTransaction()) {
        fail(state, group, new StoreUnavailable('the changes of a group were lost'))
      } else if (group.isDue) commit(state, group)
      return group.outcome.promise
    },
    flush() {
      if (state.open !== undefined && !state.open.isBusy) commit(state, state.open)
    },
    end() {
      const error = new StoreUnavailable('the store was closed before a change was durable')
      if (state.open !== undefined) fail(state, state.open, error)
    },
  }
}

interface State {
  writer: Writer
  durable: Durable
  onCommit: () => void
  open: Group | undefined
}

function begin(state: State): Group {
  const group: Group = { outcome: Promise.withResolvers(), isBusy: false, isDue: false }
  // Whoever waits for it handles the rejection; nobody may be waiting yet.
  group.outcome.promise.catch(() => {})
  state.open = group
  setImmediate(() => {
    group.isDue = true
    if (!group.isBusy) commit(state, group)
  })
  return group
}

function commit(state: State, group: Group): void {
  if (state.open !== group) return
  state.open = undefined
  const { writer, durable } = state
  try {
    writer.exec('commit')
  } catch (error) {
    undo(writer, 'rollback')
    return fail(state, group, error)
  }
  if (writer.takeChanged()) durable.committed()
  group.outcome.resolve(durable.synced())
  state.onCommit()
}

function fail(state: State, group: Group, error: unknown): void {
  if (state.open === group) state.open = undefined
  group.outcome.reject(error)
}

/** Rolls back. */
function undo(writer: Writer, ...commands: Command[]): void {
  // SQLite may have rolled back already, for lack of space for example.
  if (!writer.isOpen() || !writer.isTransaction()) return
  try {
    for (const command of commands) writer.exec(command)
  } catch {
    // A fault of the disk: the session is notified, and ends.
  }
}

/** Mutual exclusion, first come, first served. */
interface Mutex {
  /** Resolves with the function that releases it. */
  acquire: () => Promise<() => void>
  /** Whether nobody holds it or waits for it. */
  isFree: () => boolean
}

function createMutex(): Mutex {
  let last = Promise.resolve()
  let users = 0
  return {
    isFree: () => users === 0,
    async acquire() {
      const { promise, resolve } = Promise.withResolvers<void>()
      const previous = last
      last = promise
      users++
      await previous
      return () => {
        users--
        resolve()
      }
    },
  }
}
