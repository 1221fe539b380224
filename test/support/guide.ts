import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { withoutWarnings } from './server.ts'

/** The examples of a section of the API guide. */
export interface Examples {
  /** Runs a command as a reader does, on another address than the guide's. @returns the body of the response, parsed */
  run: (at: number, address: { url: string; token: string }) => Promise<unknown>
  /** The JSON that the section shows. */
  shown: unknown[]
}

/** @param heading of a section of `docs/api.md` */
export function examplesOf(heading: string): Examples {
  const guide = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8')
  const section = guide.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  const blocks = (language: string) =>
    Array.from(section.matchAll(/^```(\w+)\n(.*?)^```$/gms))
      .filter(([, name]) => name === language)
      .map(([, , text = '']) => text)
  // A command goes on in the next line while its quoted JSON does.
  const commands = blocks('sh').flatMap((text) => text.trim().split(/\n(?=curl )/))
  return {
    shown: blocks('json').map((text) => JSON.parse(text) as unknown),
    async run(at, { url, token }) {
      const command = commands[at] ?? ''
      const shell = command.replace('curl', 'curl -s').replace('localhost:3000', '$URL')
      const { stdout } = await promisify(execFile)('sh', ['-c', shell], {
        env: { ...process.env, URL: url, T: token },
      })
      return withoutWarnings(JSON.parse(stdout) as unknown)
    },
  }
}
