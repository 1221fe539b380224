import type { Bus } from '../bus/bus.ts'
import { createLocalBus } from '../bus/local.ts'
import type { BusNeeds } from '../nodes/bus/postgres.ts'

/** The settings of the bus. */
export interface BusConfig {
  databaseUrl: string | undefined
  databaseListenUrl: string | undefined
}

/** Opens the bus that goes with the store. @throws {StartError} when it cannot be reached */
export async function openBus(
  { databaseUrl, databaseListenUrl: url = databaseUrl }: BusConfig,
  needs: BusNeeds,
): Promise<Bus> {
  if (databaseUrl === undefined || url === undefined) return createLocalBus()
  const { openPostgresBus } = await import('../nodes/bus/postgres.ts')
  return openPostgresBus({ ...needs, url })
}
