import type { Generated } from 'kysely'

/** Every code that was ever given out. A row outlives its link: a printed code must never lead to another's link. */
interface CodesTable {
  /** The code in lower case, as it is looked up. */
  code_key: string
}

interface LinksTable {
  id: Generated<number>
  code_key: string
  /** The code as its owner wrote it. */
  code: string
  /** SHA-256 of the token, base64url. */
  token_hash: string
  kind: string
  target: string | null
  /** The kind's own fields, a JSON object. */
  payload: string
  title: string | null
  campaign: string | null
  /** A JSON object, in the order in which its pairs are set on the destination. */
  utm: string
  /** 1 while visits are answered, 0 while the owner has paused the link. */
  active: number
  /** Counts the changes; its text is the entity tag. */
  revision: number
  /** Milliseconds since 1970, UTC, here and in every other table. */
  created_at: number
  updated_at: number
}

/** Answers of creations that may be asked for again with the same `Idempotency-Key`. */
interface ReplaysTable {
  /** Derived from the key, which is itself not kept. */
  lookup: string
  request_hash: string
  /** The answer, encrypted under another derivative of the key. */
  sealed: string
  created_at: number
}

interface MigrationsTable {
  number: number
  name: string
  applied_at: number
}

export interface Tables {
  codes: CodesTable
  links: LinksTable
  replays: ReplaysTable
  migrations: MigrationsTable
}
