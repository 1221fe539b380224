import type { Schemas } from '../../../client/client.ts'
import { pluralize } from '../../../lib/pluralize.ts'
import { StartError } from '../../../lib/start-error.ts'
import { toSingleLine } from '../../table.ts'
import { openCollection } from '../open-collection.ts'
import { printed, readJsonObject, serviceOptions } from '../options.ts'
import { dataOf } from '../service.ts'
import { COLLECTION, type Verb } from './verb.ts'

export const rename: Verb = {
  name: 'rename',
  usage: `${COLLECTION} <name>`,
  summary: 'give a collection another name, under which its token is kept from then on if it was kept',
  options: serviceOptions,
  async run({ args: [named, name, ...more], flags, env }) {
    if (name === undefined || more.length > 0) throw new StartError('give a collection and its new name, in quotes')
    const { collection, collections, keptAs, server, token } = openCollection({ flags, env }, named)
    const changed = dataOf(await collection.PUT('/api/collections', { body: { name } }))
    if (keptAs !== undefined) collections.keepAs(server, name, token)
    return printed(flags, changed, () => `the collection is called "${toSingleLine(name)}"`)
  },
}

export const look: Verb = {
  name: 'look',
  usage: `${COLLECTION} <name> [<file>]`,
  summary: 'save the design in a JSON file as a look of a collection, for --look; --remove removes it',
  options: { ...serviceOptions, remove: { type: 'boolean', doc: 'remove the look; no link changes with it' } },
  async run({ args: [named, name, file, ...more], flags, env }) {
    const isRemoval = flags['remove'] === true
    if (name === undefined || more.length > 0 || (file === undefined) !== isRemoval)
      throw new StartError('give a collection, the name of a look, and a JSON file with its design, or --remove')
    const { collection } = openCollection({ flags, env }, named)
    const design = file === undefined ? null : readJsonObject(file, file)
    const looks = { [name]: design } as NonNullable<Schemas['CollectionUpdate']['looks']>
    const changed = dataOf(await collection.PUT('/api/collections', { body: { looks } }))
    return printed(flags, changed, () => `the look "${name}" is ${isRemoval ? 'removed' : 'saved'}`)
  },
}

export const end: Verb = {
  name: 'end',
  usage: COLLECTION,
  summary: 'end a collection; its links stay, unless --with-links deletes them for ever',
  options: {
    ...serviceOptions,
    'with-links': { type: 'boolean', doc: 'delete its links with their visits for ever, too' },
    yes: { type: 'boolean', doc: 'end it: without this flag, it only says what would end' },
  },
  async run({ args: [named, ...more], flags, env }) {
    if (more.length > 0) throw new StartError('give one collection')
    const { collection, collections, keptAs, server } = openCollection({ flags, env }, named)
    const withLinks = flags['with-links'] === true
    if (flags['yes'] !== true) {
      const { name, links } = dataOf(await collection.GET('/api/collections'))
      const what = `the collection ${name === null ? '' : `"${toSingleLine(name)}" `}of ${pluralize(links, 'link')}`
      const then = withLinks
        ? ', and delete them with their visits for ever'
        : '; they stay, and those whose own token nobody has can then be changed by nobody'
      throw new StartError(`add --yes to end ${what}${then}`)
    }
    const query = withLinks ? { links: true } : {}
    const ended = dataOf(await collection.DELETE('/api/collections', { params: { query } }))
    if (keptAs !== undefined) collections.drop(server, keptAs)
    return printed(flags, ended, ({ links }) =>
      links === undefined
        ? 'the collection is ended; its links stay'
        : `the collection is ended, and ${pluralize(links, 'link')} with it`,
    )
  },
}
