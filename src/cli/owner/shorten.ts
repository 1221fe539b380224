import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { Schemas } from '../../client/client.ts'
import { kindNames, kinds } from '../../links/kinds/index.ts'
import type { Flags } from '../../config/sources.ts'
import { StartError } from '../../lib/start-error.ts'
import type { Command, CommandContext } from '../command.ts'
import { finishOnSignal } from '../progress.ts'
import {
  creationOptions,
  joiningOptions,
  linkOptions,
  printed,
  readFields,
  serviceOptions,
  warningOf,
} from './options.ts'
import { openForCreation } from './open-collection.ts'
import { dataOf, type Service } from './service.ts'
import { keepUnprinted } from './unprinted.ts'

type Created = Schemas['CreatedLink']

const formats = ['.png', '.svg', '.pdf'] as const

export const shorten: Command = {
  name: 'shorten',
  usage: '<url>',
  summary: 'create a link; prints its short URL and the URL of its page',
  options: {
    ...serviceOptions,
    ...creationOptions,
    ...joiningOptions,
    alias: { type: 'string', doc: 'the code, in place of a random one' },
    kind: { type: 'string', doc: `${kindNames} [${kinds[0].name}]` },
    ...linkOptions,
    qr: { type: 'string', doc: 'a file for the QR code: .png, .svg or .pdf' },
    keep: { type: 'boolean', doc: "keep the link's token in a file that only you can read" },
  },
  async run(context) {
    const body = readLink(context)
    const file = imageFile(context.flags['qr'])
    const { service, header: joining } = openForCreation(context)
    const header = { 'idempotency-key': randomUUID(), ...joining }
    const client = service.client(service.createKey())
    const ended = finishOnSignal()
    try {
      const created = dataOf(await client.POST('/api/links', { body, params: { header } }))
      // Before anything that can fail: the token is in no other response.
      const done = {
        text: printed(context.flags, created, describeLink),
        onUnprinted: async () => keepUnprinted(service, [created]),
      }
      const failed = await afterCreation([
        () => context.flags['keep'] === true && service.kept.keep(service.server, [created]),
        () => file && saveImage(service, created, file),
      ])
      if (failed !== undefined) return { ...done, warning: failed, status: 1 }
      return { ...done, ...warningOf(created.warnings), status: 0 }
    } finally {
      ended()
    }
  },
}

/** Runs each step, also when one before has failed. @returns why, when any has */
async function afterCreation(steps: (() => unknown)[]): Promise<string | undefined> {
  const faults: string[] = []
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      if (!(error instanceof Error)) throw error
      faults.push(error.message)
    }
  }
  return faults.length === 0 ? undefined : `the link was created, but ${faults.join('; and ')}`
}

function readLink({ args, flags }: CommandContext): Schemas['UrlLink'] {
  const [target, ...more] = args
  if (more.length > 0) throw new StartError('give one URL, in quotes if a shell would change it')
  const { kind, alias } = flags
  if (target === undefined && kind === undefined) throw new StartError('give the URL to shorten')
  const body = {
    ...readFields(flags),
    ...(target !== undefined && { target }),
    ...(kind !== undefined && { kind }),
    ...(alias !== undefined && { alias }),
  }
  // The service validates every kind.
  return body as Schemas['UrlLink']
}

function imageFile(flag: Flags[string]): string | undefined {
  if (typeof flag !== 'string') return undefined
  if (formats.includes(extname(flag).toLowerCase() as '.png')) return flag
  throw new StartError(`--qr=${flag} must end in ${formats.join(', ')}`)
}

async function saveImage(service: Service, { code }: Created, file: string): Promise<void> {
  const path = { png: '/{code}/qr.png', svg: '/{code}/qr.svg', pdf: '/{code}/qr.pdf' } as const
  const format = extname(file).slice(1).toLowerCase() as keyof typeof path
  const image = await service.client().GET(path[format], { params: { path: { code } }, parseAs: 'arrayBuffer' })
  writeFileSync(file, new Uint8Array(dataOf<unknown>(image) as ArrayBuffer))
}

function describeLink({ short_url, manage_url }: Created): string {
  return `${short_url}\n${manage_url}`
}
