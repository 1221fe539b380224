import { adopt } from './adopt.ts'
import { audit } from './audit.ts'
import { backup } from './backup.ts'
import { block } from './block.ts'
import { certs } from './certs.ts'
import type { Command } from './command.ts'
import { domains } from './domains.ts'
import { entries } from './entries.ts'
import { journal } from './journal.ts'
import { lists } from './lists.ts'
import { places } from './places.ts'
import { qr } from './qr.ts'
import { reports } from './reports.ts'
import { restore } from './restore.ts'
import { status } from './status.ts'
import { unblock } from './unblock.ts'
import { verify } from './verify.ts'

/** Every command but "serve", in the order of the help. */
export const commands: readonly Command[] = [
  status,
  block,
  unblock,
  entries,
  reports,
  lists,
  audit,
  domains,
  certs,
  backup,
  restore,
  verify,
  adopt,
  journal,
  places,
  qr,
]
