import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext } from 'node:test'
import { temporaryFolder } from './cleanup.ts'
import { type Folders } from '../../src/scans/sqlite/fold.ts'
import type { Scan } from '../../src/scans/scan.ts'
import { noValues } from './no-values.ts'

export const NOW = Date.UTC(2026, 10, 20, 12)

export const HOUR = 3_600_000

export function makeFolders(t: TestContext): Folders & { warehouse: string } {
  const root = temporaryFolder(t)
  const folders = {
    journal: join(root, 'journal'),
    visitors: join(root, 'visitors'),
    warehouse: join(root, 'scans.db'),
  }
  mkdirSync(folders.journal)
  mkdirSync(folders.visitors)
  return folders
}

export const scan = (more: Partial<Scan> = {}): Scan => ({
  ...noValues,
  linkId: 1,
  at: NOW,
  source: 'qr',
  device: 'mobile',
  os: 'iOS',
  browser: 'Safari',
  country: 'DE',
  city: 'Berlin',
  referrer: 'direct',
  bot: false,
  answer: null,
  visitor: 1,
  ...more,
})
