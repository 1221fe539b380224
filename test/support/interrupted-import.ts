import assert from 'node:assert/strict'
import { createOperatorClient } from '../../src/operator/client.ts'
import type { CommandContext } from '../../src/cli/command.ts'
import { importCommand } from '../../src/cli/import/command.ts'

/** The call to the service at which an import is interrupted, and whether the service has answered it by then. */
export type Interruption = readonly [call: number, when: 'before' | 'after']

/** Runs an import that ends at a call to the service. */
export async function interruptImport(
  dataDir: string,
  file: string,
  flags: CommandContext['flags'],
  [failing, when]: Interruption,
): Promise<void> {
  const serve = createOperatorClient(dataDir)
  let calls = 0
  const call: CommandContext['call'] = async (...args) => {
    if (++calls === failing && when === 'before') throw new Error('interrupted')
    const result = await serve(...args)
    if (calls === failing) throw new Error('interrupted')
    return result
  }
  const settings = { set: { settings: [], unknown: [] }, env: {}, dataDir, databaseUrl: undefined, version: '0.0.0' }
  const context: CommandContext = { ...settings, args: [file], flags, call }
  await assert.rejects(importCommand.run(context), /interrupted/, `call ${failing} ${when}`)
}
