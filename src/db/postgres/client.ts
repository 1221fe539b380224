import pg from 'pg'
import type { Attempts } from './attempts.ts'

/** How long a connection may take to close. */
const END_MS = 1000

/** What a connection calls once it is open, or cannot be opened. */
type Opened = (error: Error | null, client?: pg.Client) => void

/**
 * A connection that ends within a second, also when nobody answers at its other side: `pg` would keep the socket until that
 * side closes it. The statement that fails is what tells of a loss; an event that nobody handles would end the process.
 */
export class BoundedClient extends pg.Client {
  constructor(config: pg.ClientConfig) {
    super(config)
    this.on('error', () => {})
  }

  override end(): Promise<void>
  override end(callback: () => void): void
  override end(callback?: () => void): Promise<void> | undefined {
    const timer = setTimeout(() => this.connection.stream.destroy(), END_MS).unref()
    this.once('end', () => clearTimeout(timer))
    const ended = super.end()
    if (callback === undefined) return ended
    void ended.then(callback)
    return undefined
  }
}

/** The connections of a pool, which has its attempts to open them bounded. `pg-pool` gives a callback, and ends none that it could not open. */
export function pooledClient(attempts: Attempts): typeof BoundedClient {
  return class extends BoundedClient {
    override connect(): Promise<pg.Client>
    override connect(callback: Opened): void
    override connect(callback?: Opened): Promise<pg.Client> | undefined {
      if (callback === undefined) return super.connect()
      let end: ReturnType<Attempts['begin']>
      try {
        end = attempts.begin()
      } catch (error) {
        process.nextTick(callback, error)
        return undefined
      }
      super.connect((error: Error | null) => {
        end(error)
        if (error !== null) this.connection.stream.destroy()
        callback(error, this)
      })
      return undefined
    }
  }
}
