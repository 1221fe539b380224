import type { Command } from './command.ts'

/** What the operation of this name answers. */
export interface Status {
  version: string
  /** Why the service is not ready, or null. */
  not_ready: string | null
}

export const status: Command = {
  name: 'status',
  usage: '',
  summary: 'say whether the running service is ready',
  async run({ ask }) {
    const { version, not_ready: reason } = (await ask('status')) as Status
    return `quirl ${version} is ${reason === null ? 'ready' : `not ready: ${reason}`}`
  },
}
