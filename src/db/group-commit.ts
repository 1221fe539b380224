import type { Durable } from './durable.ts'
import { createQueue } from './queue.ts'
import { StoreAway } from './sqlite-errors.ts'

/** The connection that writes, as groups use it. */
export interface Writer {
  /** Takes the write lock, and waits for it if another process has it. */
  begin: () => Promise<void>
  /** Takes the write lock if no other process has it. */
  tryBegin: () => boolean
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
  /**
   * Runs a statement, before this returns if nobody has the turn; resolves with what it answered when that is durable.
   * A statement is whole or not at all by itself.
   */
  run: <T>(statement: () => T) => Promise<T>
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
  const queue = createQueue()
  const { join, joinAtOnce, leave, flush, end } = createOpenGroup(writer, durable, onCommit)

  async function enter(): Promise<Turn> {
    const next = await queue.enter()
    try {
      const group = await join()
      group.busy = true
      const leaveTurn = () => {
        const settled = leave(group)
        next()
        return settled
      }
      return { part: (work) => runPart(writer, work), leave: leaveTurn }
    } catch (error) {
      next()
      throw error
    }
  }

  async function runInTurn<T>(statement: () => T): Promise<T> {
    const turn = await enter()
    try {
      return statement()
    } finally {
      await turn.leave()
    }
  }

  return {
    enter,
    async run(statement) {
      const group = queue.isFree() ? joinAtOnce() : undefined
      if (group === undefined) return runInTurn(statement)
      try {
        return statement()
      } finally {
        await leave(group)
      }
    },
    flush,
    end,
  }
}

/** The group to which changes belong that are made now. */
interface OpenGroup {
  /** Begins one where there is none. */
  join: () => Promise<Group>
  /** Undefined when another process holds the write lock. */
  joinAtOnce: () => Group | undefined
  /** Resolves when the group is durable. */
  leave: (group: Group) => Promise<void>
  flush: () => void
  end: () => void
}

function createOpenGroup(writer: Writer, durable: Durable, onCommit: () => void): OpenGroup {
  let open: Group | undefined

  function begun(): Group {
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

  return {
    async join() {
      if (open !== undefined) return open
      await writer.begin()
      return begun()
    },
    joinAtOnce: () => open ?? (writer.tryBegin() ? begun() : undefined),
    leave(group) {
      group.busy = false
      if (!writer.isOpen() || !writer.isTransaction()) fail(group, new StoreAway('the changes of a group were lost'))
      else if (group.due) commit(group)
      return group.fate.promise
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
