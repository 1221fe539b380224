import type { LinksInstance } from '../links/instance.ts'
import type { RecorderLog } from './recorder-log.ts'
import type { VisitorKeys } from './describing/visitors.ts'
import type { WarehouseThread } from './warehouse-client.ts'

/** Where scans are folded into, and what identifies visitors for a day. */
export interface Warehouse {
  keys: VisitorKeys
  thread: WarehouseThread
  /** Whether other nodes fold scans into it too. */
  isShared: boolean
  /** The error for the operator when the thread cannot use it at the start. */
  unusable: (error: Error) => unknown
  /** Ends timers. */
  close: () => void
}

/**
 * Opens the warehouse.
 * @throws {StartError} when it cannot be used, or its scans belong to other links; it is not changed then
 */
export type OpenWarehouse = (links: LinksInstance, log: RecorderLog) => Promise<Warehouse>
