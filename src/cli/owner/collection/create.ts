import { randomUUID } from 'node:crypto'
import { StartError } from '../../../lib/start-error.ts'
import type { CommandResult } from '../../command.ts'
import { finishOnSignal } from '../../progress.ts'
import { openCollection } from '../open-collection.ts'
import { creationOptions, printed, serviceOptions } from '../options.ts'
import { dataOf, openService, type Service } from '../service.ts'
import { keepUnprintedCollection, type NamedCollection } from '../unprinted.ts'
import { COLLECTION, type Verb } from './verb.ts'

export const create: Verb = {
  name: 'create',
  usage: '',
  summary: 'create a collection; prints the address of its page, which is its key',
  options: {
    ...serviceOptions,
    ...creationOptions,
    name: { type: 'string', doc: 'a name for the owner' },
    keep: { type: 'boolean', doc: "keep the collection's token under its name, in a file that only you can read" },
  },
  async run({ args, flags, env }) {
    if (args.length > 0) throw new StartError('give the name of the collection by --name')
    const service = openService({ flags, env })
    const { name } = flags
    const ended = finishOnSignal()
    try {
      const created = dataOf(
        await service.client(service.createKey()).POST('/api/collections', {
          body: typeof name === 'string' ? { name } : {},
          params: { header: { 'idempotency-key': randomUUID() } },
        }),
      )
      const named = { ...created, name: nameOf(created) }
      return {
        text: printed(flags, created, ({ manage_url }) => manage_url),
        ...(flags['keep'] === true ? kept(service, named, 'the collection was created') : { status: 0 }),
        onUnprinted: async () => keepUnprintedCollection(service, named, 'a collection was created'),
      }
    } finally {
      ended()
    }
  },
}

export const keep: Verb = {
  name: 'keep',
  usage: COLLECTION,
  summary: 'keep the token of a collection that was made elsewhere, in a file that only you can read',
  options: { server: serviceOptions.server, name: { type: 'string', doc: 'the name to keep it under [its own]' } },
  async run({ args: [named, ...more], flags, env }) {
    if (more.length > 0) throw new StartError('give one collection')
    const opened = openCollection({ flags, env }, named)
    const found = dataOf(await opened.collection.GET('/api/collections'))
    const name = typeof flags['name'] === 'string' ? flags['name'] : nameOf(found)
    return `its token is kept as "${opened.collections.keepAs(opened.server, name, opened.token)}"`
  },
}

export const rotate: Verb = {
  name: 'rotate',
  usage: COLLECTION,
  summary: 'give a collection a new token, when somebody else has the old one; prints the new address of its page',
  options: serviceOptions,
  async run({ args: [named, ...more], flags, env }) {
    if (more.length > 0) throw new StartError('give one collection')
    const opened = openCollection({ flags, env }, named)
    const ended = finishOnSignal()
    try {
      const rotated = dataOf(
        await opened.collection.POST('/api/collections/rotate', {
          params: { header: { 'idempotency-key': randomUUID() } },
        }),
      )
      const { keptAs } = opened
      const renewed = { ...rotated, name: keptAs ?? 'rotated' }
      return {
        text: printed(flags, rotated, ({ manage_url }) => manage_url),
        ...(keptAs === undefined ? { status: 0 } : replaced(opened, renewed)),
        onUnprinted: async () => keepUnprintedCollection(opened, renewed, 'the collection has a new token'),
      }
    } finally {
      ended()
    }
  },
}

/** The name under which a collection is kept. */
export function nameOf({ name, created_at: createdAt }: { name: string | null; created_at: string }): string {
  return name ?? `collection of ${createdAt.slice(0, 10)}`
}

/** Keeps the token: the name is on standard error. @param what has happened, in case that fails */
function kept(
  { server, collections }: Service,
  { name, token }: NamedCollection,
  what: string,
): Omit<CommandResult, 'text'> {
  return noted(what, () => `its token is kept as "${collections.keepAs(server, name, token)}"`)
}

/** Keeps the new token in place of the old one. */
function replaced({ server, collections }: Service, { name, token }: NamedCollection): Omit<CommandResult, 'text'> {
  return noted('the collection has a new token', () => {
    collections.keep(server, [{ code: name, token }])
    return `the new token is kept as "${name}"; the old one works until the new one is first used, but no longer than an hour`
  })
}

function noted(what: string, work: () => string): Omit<CommandResult, 'text'> {
  try {
    return { warning: work(), status: 0 }
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return { warning: `${what}, but ${error.message}`, status: 1 }
  }
}
