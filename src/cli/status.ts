import type { Command } from './command.ts'

/** The result of the operation. */
export interface Status {
  version: string
  /** Why the service is not ready, or null. */
  not_ready: string | null
}

export const status: Command = {
  name: 'status',
  usage: '',
  summary: 'show whether the running service is ready',
  async run({ call }) {
    const { version, not_ready: reason } = (await call('status')) as Status
    return `quirl ${version} is ${reason === null ? 'ready' : `not ready: ${reason}`}`
  },
}
