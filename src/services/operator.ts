import type { FastifyBaseLogger } from 'fastify'
import type { Abuse, MissingList } from '../abuse/open.ts'
import { rekeyOperations } from '../abuse/rekey.ts'
import { openOperatorSocket, type OperatorOperations } from '../operator/socket.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import type { Disk } from '../disk/open.ts'
import { FilesReplaced } from '../db/sqlite/open-files.ts'
import { doctorOperations, type DoctorNeeds } from '../doctor/operator.ts'
import { domainOperations, type OperatedDomains } from '../domains/operator.ts'
import { Problem } from '../http/problem.ts'
import type { Origin } from '../http/origin.ts'
import { importOperations } from '../links/import/operator.ts'
import { linkOperations } from '../links/listing/operator.ts'
import type { Links } from '../links/open.ts'
import { movingOperations, type Holdable } from '../moving/operator.ts'
import type { Places } from '../places/open.ts'
import { partOperations } from '../scans/import/operator.ts'
import { visitOperations } from '../scans/import/visits-operator.ts'
import type { Scans } from '../scans/open.ts'
import type { Tls } from '../tls/open.ts'
import type { Keys } from '../keys/open.ts'
import { certificateOperations } from '../tls/operator.ts'

/** The result of `status`. */
export interface Status {
  version: string
  /** Why the service is not ready, or null. */
  not_ready: string | null
  /** What the operator should know although the service is ready, or null. */
  detail: string | null
  /** Visits that were answered and are not in the statistics, ever. */
  lost_scans: number
  /** The recommended lists that have never been loaded. */
  missing_lists: MissingList[]
}

/** The features whose operations operators can call. */
export interface OperatorNeeds extends Omit<DoctorNeeds, 'config' | 'askServers'> {
  version: string
  disk: Pick<Disk, 'detail'>
  db: Database
  scans: Pick<Scans, 'fold' | 'hold' | 'totals' | 'lost' | 'addPart' | 'addVisits'>
  holdChanges: Holdable['changes']
  abuse: Pick<Abuse, 'operations' | 'missingLists'>
  keys: Pick<Keys, 'operations'>
  links: Pick<Links, 'importLinks' | 'findByToken'>
  now: () => number
  origin: Pick<Origin, 'own' | 'owns' | 'foreignHost'>
  places: Pick<Places, 'operations'>
  domains: OperatedDomains
  tls: Pick<Tls, 'certificates'> | undefined
}

/** The operations behind `quirl <command>`. */
export function operatorOperations(config: Config, needs: OperatorNeeds): OperatorOperations {
  const { version, db, notReady, scans, holdChanges, abuse, keys, links, origin, places, domains, tls } = needs
  return {
    status: async (): Promise<Status> => ({
      version,
      not_ready: (await notReady().catch((error: Error) => error.message)) ?? null,
      detail: needs.disk.detail() ?? null,
      lost_scans: scans.lost(),
      missing_lists: abuse.missingLists().map(({ name, fault }) => ({ name, fault })),
    }),
    async fold() {
      // A backup would be one of the file that has taken the place of the store.
      await db.check().catch((error: unknown) => {
        if (error instanceof FilesReplaced) throw new Problem('unavailable', error.message)
      })
      return { folded: await scans.fold() }
    },
    ...doctorOperations({ ...needs, config, askServers }),
    ...linkOperations({ db, totals: scans.totals }),
    ...abuse.operations,
    ...rekeyOperations({ db, now: needs.now, owns: origin.owns, origin: origin.own }),
    ...keys.operations,
    ...importOperations({ importLinks: links.importLinks, origin: origin.own }),
    ...partOperations({ links, scans, now: needs.now }),
    ...visitOperations({ links, scans, now: needs.now }),
    ...places.operations,
    ...domainOperations(domains),
    ...certificateOperations(tls?.certificates),
    ...movingOperations({ scans: scans.hold, changes: holdChanges }),
  }
}

/** Loaded here, because most services are never asked. */
const askServers: DoctorNeeds['askServers'] = async (config) => {
  const { servers } = await import('../nodes/doctor/servers.ts')
  return servers.ask(config)
}

/** Listens for operators. A folder without support for Unix sockets does not keep the service from starting. */
export async function openForOperators(
  dataDir: string,
  operations: OperatorOperations,
  log: Pick<FastifyBaseLogger, 'error' | 'warn'>,
): Promise<{ close: () => Promise<void> | void }> {
  const onFault = (error: unknown, operation: string) => log.error({ err: error, operation }, 'a command failed')
  try {
    return await openOperatorSocket(dataDir, operations, onFault)
  } catch (error) {
    log.warn(
      { err: error },
      'administrative commands cannot reach this service: DATA_DIR does not support Unix sockets',
    )
    return { close() {} }
  }
}
