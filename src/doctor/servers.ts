import type { Config } from '../config/config.ts'
import type { Check } from './finding.ts'
import type { CheckedSettings } from './settings.ts'

/** The settings that say where servers are. */
export type ServerSettings = Pick<Config, 'databaseUrl' | 'redisUrl'>

/** What servers answered to the running service, as JSON that it hands on to the command. */
export type ServerAnswers = object

/** The checks of the servers that several nodes share; a process that is alone has none. */
export interface Servers {
  /** Asks each server that is configured, on a connection of its own. Never rejects. */
  ask: (config: ServerSettings) => Promise<ServerAnswers>
  /** @param answers what `ask` returned in the service; undefined when none runs, so that each check asks from here */
  checks: (config: ServerSettings, settings: CheckedSettings, answers: ServerAnswers | undefined) => Check[]
}
