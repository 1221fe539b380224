import type { Command } from '../command.ts'
import { creationOptions, serviceOptions } from '../owner/options.ts'
import { openService } from '../owner/service.ts'

export const mcp: Command = {
  name: 'mcp',
  usage: '',
  summary: 'serve the Model Context Protocol on standard input and output, for assistants that create and read links',
  options: {
    server: serviceOptions.server,
    ...creationOptions,
    keep: { type: 'boolean', doc: 'keep the tokens of created links in a file that only you can read' },
  },
  async run(context) {
    // The mistakes of the command line end the command, not the first call.
    openService(context).createKey()
    // Loaded here, because no other command needs it.
    const { serveTools } = await import('./server.ts')
    return serveTools(context)
  },
}
