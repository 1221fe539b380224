import type { TestContext } from 'node:test'
import { createDatabase } from './drivers.ts'
import { urlOf } from './postgres.ts'
import { requireProgram } from './programs.ts'
import { startServer, type TestServer } from './server.ts'

/** Two services of this process on one PostgreSQL; undefined if the test is skipped because it is not installed. */
export async function startTwo(
  t: TestContext,
  env: Record<string, string> = {},
): Promise<[TestServer, TestServer] | undefined> {
  if (!requireProgram(t, 'initdb', 'postgresql')) return undefined
  const DATABASE_URL = urlOf(await createDatabase())
  return [await startServer(t, { DATABASE_URL, ...env }), await startServer(t, { DATABASE_URL, ...env })]
}
