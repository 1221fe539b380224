import type { FastifyBaseLogger } from 'fastify'
import type { PostgresTimes } from '../nodes/database/pool.ts'
import type { DiskOverrides } from '../disk/open.ts'
import type { Sync } from '../db/sqlite/writing-session.ts'
import type { Machine } from '../http/local-hosts.ts'
import type { AdmissionOptions } from '../limits/admission.ts'
import type { SlotOverrides } from '../limits/slots.ts'
import type { Scrypt } from '../links/password/password.ts'
import type { PoolOptions } from '../qr/pool/pool.ts'
import type { WebhookOverrides } from '../webhooks/open.ts'

/** The clocks of the program. */
export interface Clocks {
  /** The time of day, which may be set back. Durations are measured with `monotonic`. */
  now: () => number
  monotonic: () => number
}

/** The environment of the program; tests replace parts of it. */
export interface Environment extends Partial<Clocks> {
  version: string
  /** The port on which the service listens, once it does. */
  port: () => number
  log: Pick<FastifyBaseLogger, 'error' | 'warn'>
  /** The names and addresses of this machine. */
  machine?: Machine
  /** How long a sweep of all links waits after the lists have changed, when it is not the usual time. */
  sweepWaitMs?: number
  /** The lists that `recommended` stands for, when they are not the usual ones. */
  recommendedLists?: readonly string[]
  /** How images are drawn on threads, where it is not the usual way. */
  drawing?: Partial<PoolOptions>
  /** How long a request for statistics waits for the newest scans, when it is not the usual time. */
  foldWaitMs?: number
  /** How a change is brought to the disk, when it is not the usual way. */
  sync?: Sync
  /** How long PostgreSQL may take, when it is not the usual time. */
  postgresTimes?: PostgresTimes | undefined
  /** How long Redis may take for a command, in milliseconds, when it is not the usual time. */
  redisMs?: number | undefined
  /** How the keys of passwords are derived, when it is not the usual way. */
  scrypt?: Scrypt
  /** What may be under way at the same time, when it is not the usual amount. */
  slots?: SlotOverrides
  /** How much work may wait and be under way, when it is not the usual amount. */
  work?: AdmissionOptions['bounds']
  /** How long a request may wait for its turn, in milliseconds, when it is not the usual time. */
  queueMs?: number | undefined
  /** When the disk is looked at, and what it reserves, when it is not the usual way. */
  disk?: DiskOverrides
  /** How webhooks are sent, when it is not the usual way. */
  webhooks?: WebhookOverrides
}

/** Registers what was opened, to be closed before everything that was opened earlier. */
export type Open = <T extends { close: () => Promise<void> | void }>(name: string, opened: T) => T
