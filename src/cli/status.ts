import type { Status } from '../services/operator.ts'
import type { Command } from './command.ts'

export const status: Command = {
  name: 'status',
  usage: '',
  summary: 'show whether the running service is ready',
  async run({ call }) {
    const {
      version,
      not_ready: reason,
      detail,
      lost_scans: lost,
      missing_lists: missing,
    } = (await call('status')) as Status
    const loss = lost === 0 ? '' : `\n${lost} visits were answered and never counted: see docs/trouble.md`
    const unlisted = missing.map(({ name, fault }) => {
      return `\nlinks are not compared with the list ${name}, which has not been loaded yet${fault === null ? '' : `: ${fault}`}`
    })
    const more = detail === null || reason !== null ? '' : `; ${detail}`
    return `quirl ${version} is ${reason === null ? 'ready' : `not ready: ${reason}`}${more}${loss}${unlisted.join('')}`
  },
}
