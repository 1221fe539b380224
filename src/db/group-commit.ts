import type { Durable } from './durable.ts'
import { createQueue } from './queue.ts'
import { StoreAway } from './sqlite-errors.ts'

/** The connection that writes, as groups use it. */
export interface Writer {
  /** Takes the write lock, and waits for it if another process has it. */
  begin: () => Promise<void>
  /** @throws what SQLite does; the connection is in a transaction still, or in none */
  exec: (command: Command) => void
  isOpen: () => boolean
  isTransaction: () => boolean
  /** Whether anything was changed since this was asked last. */
  hasChanged: () => boolean
}

type Command = 'commit' | 'rollback' | 'savepoint part' | 'release part' | 'rollback to part'

/** The right to use the connection that writes, alone. */
export interface Turn {
  /** Runs `work` whole or not at all. */
  part: <T>(work: () => Promise<T>) => Promise<T>
  /** Lets the next one in; resolves when everything that was changed or seen is durable. */
  leave: () => Promise<void>
}

/** Changes that are committed together. */
export interface Groups {
  /** Waits for a turn: who asks first has it first. */
  enter: () => Promise<Turn>
  /** Commits what is complete. */
  flush: () => void
  /** Lets all fail whose changes are not committed. */
  end: () => void
}

interface Group {
  /** Settles with the fate of all that are in it. */
  fate: PromiseWithResolvers<void>
  /** Whether somebody has the turn. */
  busy: boolean
  /** Whether the turn of the event loop in which it began is over. */
  due: boolean
}

/**
 * Lets one after the other use the connection, and commits at the end of each turn of the event loop what was done in it:
 * a commit writes each page once, whoever has changed it. Each is whole or not at all, by a savepoint of its own.
 * @param onCommit called after each commit
 */
export function createGroups(writer: Writer, durable: Durable, onCommit: () => void): Groups {
  const enter = createQueue()
  let open: Group | undefined

  async function join(): Promise<Group> {
    if (open !== undefined) return open
    await writer.begin()
    const group: Group = { fate: Promise.withResolvers(), busy: false, due: false }
    // Who waits hears of it; it may be lost when nobody does yet.
    group.fate.promise.catch(() => {})
    open = group
    setImmediate(() => {
      group.due = true
      if (!group.busy) commit(group)
    })
    return group
  }

  function fail(group: Group, error: unknown): void {
    if (open === group) open = undefined
    group.fate.reject(error)
  }

  function commit(group: Group): void {
    if (open !== group) return
    open = undefined
    try {
      writer.exec('commit')
    } catch (error) {
      undo(writer, 'rollback')
      return fail(group, error)
    }
    if (writer.hasChanged()) durable.committed()
    group.fate.resolve(durable.settled())
    onCommit()
  }

  function leave(group: Group, next: () => void): Promise<void> {
    group.busy = false
    if (!writer.isOpen() || !writer.isTransaction()) fail(group, new StoreAway('the changes of a group were lost'))
    else if (group.due) commit(group)
    next()
    return group.fate.promise
  }

  return {
    async enter() {
      const next = await enter()
      try {
        const group = await join()
        group.busy = true
        return { part: (work) => runPart(writer, work), leave: () => leave(group, next) }
      } catch (error) {
        next()
        throw error
      }
    },
    flush() {
      if (open !== undefined && !open.busy) commit(open)
    },
    end() {
      if (open !== undefined) fail(open, new StoreAway('the store was closed before a change was on the disk'))
    },
  }
}

async function runPart<T>(writer: Writer, work: () => Promise<T>): Promise<T> {
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

function undo(writer: Writer, ...commands: Command[]): void {
  // SQLite may have rolled back by itself already, for want of space say.
  if (!writer.isOpen() || !writer.isTransaction()) return
  try {
    for (const command of commands) writer.exec(command)
  } catch {
    // A fault of the disk, which the session has been told of: it ends.
  }
}
