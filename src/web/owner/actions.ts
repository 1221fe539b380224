import { Problem } from '../../http/problem.ts'
import { saveDesign } from '../designer/save.ts'
import { changeFromForm, leadFromForm } from './change-form.ts'
import { revert } from './history.ts'
import { ruleActions } from './rules/actions.ts'
import { settingsActions } from './settings/actions.ts'
import type { Action, Outcome, Submission } from './submission.ts'
import { ownValue } from '../../lib/own-value.ts'

const designed: Outcome = { done: 'designed', at: 'design' }

/** What the forms of the owner's page do, by their field `action`. */
const actions: Record<string, Action> = {
  change: changeFromForm,
  lead: leadFromForm,
  revert,
  ...ruleActions,
  async design({ links, token, ...submission }) {
    const saved = await saveDesign(links, token, submission)
    if ('refused' in saved) return saved
    return saved.isPoor ? { ...designed, done: 'designed-poor' } : designed
  },
  async plain(submission) {
    await change(submission, { design: null })
    return designed
  },
  ...settingsActions,
}

/** @throws {Problem} 400 for a form without an action of this page */
export function act(submission: Submission): Promise<Outcome> {
  const name = submission.form.get('action') ?? ''
  const action = ownValue(actions, name)
  if (action === undefined) throw new Problem('invalid_request', 'the form has an unknown action')
  return action(submission)
}

async function change({ links, token, drawing }: Submission, body: object): Promise<void> {
  const owned = await links.readByToken(token)
  await links.change(owned, body, { design: await links.checkDesign(owned, body, drawing) })
}
