import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { CommandContext, CommandResult } from '../command.ts'
import { finishOnSignal } from '../progress.ts'
import { createCreations } from './creations.ts'
import { registerTools } from './tools.ts'
import { createStreamTransport } from './transport.ts'

const instructions =
  'Short links with QR codes. A link is managed by the URL of its page (manage_url), which is a secret: show it to the ' +
  'person who asked for the link, and to nobody else. A printed QR code keeps working when the destination changes.'

/** Serves the tools until the client closes the input or a signal arrives, and then answers the calls that have begun. */
export async function serveTools(context: CommandContext): Promise<CommandResult> {
  const creations = createCreations()
  const transport = createStreamTransport(process.stdin, process.stdout, creations.onSent)
  const factory = () => {
    const server = new McpServer({ name: 'quirl', version: context.version }, { instructions })
    registerTools(server, { ...context, isOnlyService: true }, creations)
    return server
  }
  const serving = serveStdio(factory, { transport })
  const ended = finishOnSignal(transport.stop)
  try {
    // Of a call that was cancelled, the creation goes on.
    await transport.answered.then(creations.ended)
    await serving.close()
  } finally {
    ended()
  }
  const kept = creations.keepUnsent()
  if (kept.length === 0) return { text: '', status: 0 }
  return {
    text: '',
    warning: kept.map((line) => `an answer could not be written: ${line}`).join('\nquirl: '),
    status: 1,
  }
}
