import type { TestContext } from 'node:test'
import { createDatabase } from './drivers.ts'
import { urlOf } from './postgres.ts'
import { requireProgram } from './programs.ts'
import { startServer, type TestServer } from './server.ts'

/** Two services of this process on one PostgreSQL; undefined if the test is skipped because it is not installed. */
export async function startTwo(
  t: TestContext,
  env: Record<string, string> = {},
  overrides: Parameters<typeof startServer>[3] = {},
): Promise<[TestServer, TestServer] | undefined> {
  if (!requireProgram(t, 'initdb', 'postgresql')) return undefined
  const DATABASE_URL = urlOf(await createDatabase())
  const start = () => startServer(t, { DATABASE_URL, ...env }, undefined, overrides)
  return [await start(), await start()]
}
