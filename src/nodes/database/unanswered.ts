import type pg from 'pg'

/** Which of these processes of the server still run a statement, and do not only wait for a client who has left. */
const RUNNING = `select pid from pg_stat_activity
  where pid = any($1::integer[]) and state = 'active' and wait_event_type is distinct from 'Client'`

/** How long a read-only connection is used before another one shows whether changes are possible again, in milliseconds. */
const READ_ONLY_MS = 1000

type Client = Pick<pg.Client, 'query'>

/** Statements that were given up without an answer, with which the server may go on. */
export interface Unanswered {
  /** Notes the process of the server that had one. */
  note: (process: number) => void
  /** Has a new connection only read while as many go on as there may be. To be called before it is used. */
  check: (client: Client) => Promise<void>
  /** Whether a connection was made read-only so lately that it stays in use. */
  isKept: (client: Client) => boolean
}

/**
 * No time-out of the server ends a commit that waits for a synchronous standby, and its process stays when the connection is closed:
 * each connection that takes the place of such a one would be one more, until the server lets nobody in. So reads go on, and a
 * change is refused at once, as by a standby. What the server has finished does not count, as after the network was cut.
 * @param max how many may go on in the server
 */
export function createUnanswered(max: number, monotonic: () => number): Unanswered {
  let processes: number[] = []
  const keptUntil = new WeakMap<Client, number>()
  return {
    note: (process) => void processes.push(process),
    async check(client) {
      if (processes.length < max) return
      const { rows } = await client.query<{ pid: number }>(RUNNING, [processes])
      processes = rows.map(({ pid }) => pid)
      if (processes.length < max) return
      await client.query('set default_transaction_read_only = on')
      keptUntil.set(client, monotonic() + READ_ONLY_MS)
    },
    isKept: (client) => monotonic() < (keptUntil.get(client) ?? Number.NEGATIVE_INFINITY),
  }
}
