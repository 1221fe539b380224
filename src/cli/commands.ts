import { adopt } from './adopt.ts'
import { audit } from './audit.ts'
import { backup } from './backup.ts'
import { block } from './block.ts'
import { certs } from './certs.ts'
import type { Command } from './command.ts'
import { config } from './config.ts'
import { doctor } from './doctor.ts'
import { domains } from './domains.ts'
import { entries } from './entries.ts'
import type { Group } from './help.ts'
import { importCommand } from './import/command.ts'
import { journal } from './journal.ts'
import { keys } from './keys.ts'
import { links } from './links.ts'
import { lists } from './lists.ts'
import { mcp } from './mcp/command.ts'
import { migrate } from './migrate.ts'
import { bulk } from './owner/bulk.ts'
import { collection } from './owner/collection/command.ts'
import { edit, pause, remove, resume, undelete } from './owner/change.ts'
import { createCompletion } from './owner/completion.ts'
import { exportScans } from './owner/export.ts'
import { shorten } from './owner/shorten.ts'
import { stats } from './owner/stats.ts'
import { places } from './places.ts'
import { qr } from './qr.ts'
import { rekey } from './rekey.ts'
import { reports } from './reports.ts'
import { restore } from './restore.ts'
import { status } from './status.ts'
import { unblock } from './unblock.ts'
import { verify } from './verify.ts'
import { unwarn, warn } from './warn.ts'

const owner = [shorten, bulk, stats, edit, pause, resume, remove, undelete, exportScans, collection, mcp]

const operator = [
  status,
  block,
  unblock,
  warn,
  unwarn,
  rekey,
  entries,
  reports,
  links,
  lists,
  audit,
  keys,
  domains,
  certs,
  importCommand,
  places,
]

/** They read and write the data themselves, so that they need no service. */
const data = [doctor, config, backup, verify, migrate]

const stopped = [restore, adopt, journal]

const local = [qr, createCompletion(() => commands)]

/** Every command but "serve", in the order of the help. */
export const groups: readonly Group[] = [
  { title: 'For owners of links, on the service that --server names', commands: owner },
  { title: 'For operators, on the service that runs on the same DATA_DIR', commands: operator },
  { title: 'For operators, on DATA_DIR or DATABASE_URL, whether a service runs or not', commands: data },
  { title: 'For operators, on a DATA_DIR on which no service runs', commands: stopped },
  { title: 'For anyone, without a service', commands: local },
]

export const commands: readonly Command[] = groups.flatMap((group) => group.commands)
