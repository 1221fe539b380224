import { Problem } from '../../http/problem.ts'
import { saveDesign } from '../designer/save.ts'
import { changeFromForm, leadFromForm } from './change-form.ts'
import { revert } from './history.ts'
import { ruleActions } from './rules/actions.ts'
import { settingsActions } from './settings/actions.ts'
import type { Action, Outcome, Submission } from './submission.ts'
import { ownValue } from '../../lib/own-value.ts'

/** What the forms of the owner's page do, by their field `action`. */
const actions: Record<string, Action> = {
  change: changeFromForm,
  lead: leadFromForm,
  revert,
  ...ruleActions,
  design: saveDesign,
  async plain({ links, change, token }) {
    await change(await links.readByToken(token), { design: null })
    return { done: 'designed', at: 'design' }
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
