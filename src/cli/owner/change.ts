import type { Schemas } from '../../client/client.ts'
import { StartError } from '../../lib/start-error.ts'
import type { Command, CommandContext, CommandResult } from '../command.ts'
import { linkOptions, ofLinkOptions, printed, readFields, warningOf } from './options.ts'
import { openLink } from './open-link.ts'
import { dataOf } from './service.ts'

export const edit: Command = {
  name: 'edit',
  usage: '<link>',
  summary: 'change where a link leads, or its other fields',
  options: {
    ...ofLinkOptions,
    target: { type: 'string', doc: 'the new destination' },
    ...linkOptions,
  },
  async run(context) {
    const { target } = context.flags
    const fields = { ...readFields(context.flags), ...(typeof target === 'string' && { target }) }
    if (Object.keys(fields).length === 0) throw new StartError('give what to change, such as --target')
    return change(context, fields, ({ short_url, target: leadsTo }) =>
      leadsTo === null ? `${short_url} was changed` : `${short_url} leads to ${leadsTo}`,
    )
  },
}

export const pause: Command = {
  name: 'pause',
  usage: '<link>',
  summary: 'answer visits of a link with 404 until "quirl resume"',
  options: ofLinkOptions,
  run: (context) => change(context, { active: false }, ({ short_url }) => `${short_url} is paused`),
}

export const resume: Command = {
  name: 'resume',
  usage: '<link>',
  summary: 'end the pause of a link',
  options: ofLinkOptions,
  run: (context) => change(context, { active: true }, ({ short_url }) => `${short_url} is active`),
}

export const remove: Command = {
  name: 'delete',
  usage: '<link>',
  summary: 'delete a link and its visits, for ever or with --undo; its code returns 410',
  options: {
    ...ofLinkOptions,
    undo: { type: 'boolean', doc: 'delete it so that "quirl undelete" brings it back for 24 hours' },
    yes: { type: 'boolean', doc: 'delete it for ever: without one of these flags nothing is deleted' },
  },
  async run(context) {
    const { link, kept, server } = await openLink(context)
    if (context.flags['undo'] === true) return deleteWithUndo(context)
    if (context.flags['yes'] !== true) {
      const { short_url } = dataOf(await link.GET('/api/manage'))
      throw new StartError(`add --yes to delete ${short_url} with its visits for ever, or --undo for a way back`)
    }
    const deleted = dataOf(await link.DELETE('/api/manage'))
    kept.drop(server, deleted.code)
    return printed(context.flags, deleted, ({ code }) => `${server}/${code} is deleted`)
  },
}

/** The token stays kept: it brings the link back. */
async function deleteWithUndo(context: CommandContext): Promise<string> {
  const { link, server } = await openLink(context)
  const deleted = dataOf(await link.DELETE('/api/manage', { params: { query: { undo: true } } }))
  return printed(
    context.flags,
    deleted,
    ({ code, undo_until }) => `${server}/${code} is deleted; until ${undo_until} "quirl undelete" brings it back`,
  )
}

export const undelete: Command = {
  name: 'undelete',
  usage: '<link>',
  summary: 'bring a link back that was deleted with --undo, or on its page, in the last 24 hours',
  options: ofLinkOptions,
  async run(context) {
    const { link } = await openLink(context)
    const back = dataOf(await link.POST('/api/manage/undelete'))
    return printed(context.flags, back, ({ short_url }) => `${short_url} is back`)
  },
}

async function change(
  context: CommandContext,
  body: Schemas['Update'],
  describe: (link: Schemas['LinkDetails']) => string,
): Promise<CommandResult> {
  const { link } = await openLink(context)
  const changed = dataOf(await link.PUT('/api/manage', { body }))
  // That others cannot reach the service was said when the link was created.
  const ofInput = changed.warnings?.filter(({ code }) => code === 'invisible_characters')
  return { text: printed(context.flags, changed, describe), ...warningOf(ofInput), status: 0 }
}
