import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { CommandContext } from '../command.ts'
import { registerTools } from './tools.ts'

const instructions =
  'Short links with QR codes. A link is managed by the URL of its page (manage_url), which is a secret: show it to the ' +
  'person who asked for the link, and to nobody else. A printed QR code keeps working when the destination changes.'

/** Serves the tools on standard input and output until the client closes it. */
export async function serveTools(context: CommandContext): Promise<void> {
  const closed = new Promise<void>((resolve) => process.stdin.once('close', resolve))
  const serving = serveStdio(() => {
    const server = new McpServer({ name: 'quirl', version: context.version }, { instructions })
    registerTools(server, context)
    return server
  })
  await closed
  await serving.close()
}
