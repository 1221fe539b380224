import { existsSync } from 'node:fs'
import { openToRead } from '../db/sqlite/copy.ts'
import { migrations } from '../db/migrate.ts'
import { StartError } from '../lib/start-error.ts'
import { warehouseSchema } from '../scans/sqlite/warehouse-schema.ts'
import type { StoreFiles } from './sqlite-store.ts'

/**
 * Reads the id of a store, and requires that its tables are those of this version.
 * @throws {StartError}
 */
export function readIdentity({ links, scans }: StoreFiles): string {
  const [id, schema] = read(links, 'select (select id from instance), (select max(number) from migrations)')
  if (schema !== migrations.length) throw ofOtherVersion(links)
  if (existsSync(scans) && read(scans, 'pragma user_version')[0] !== warehouseSchema) throw ofOtherVersion(scans)
  return String(id)
}

function read(file: string, query: string): unknown[] {
  const db = openToRead(file)
  try {
    return Object.values(db.prepare(query).get() ?? {})
  } catch (error) {
    throw new StartError(`${file} cannot be read: ${(error as Error).message}`, { cause: error })
  } finally {
    db.close()
  }
}

function ofOtherVersion(file: string): StartError {
  return new StartError(`${file} was written by another version of quirl: start and stop this one on it first`)
}
