import type { Action } from '../submission.ts'
import { deleteLink } from './delete.ts'
import { rotateKey } from './key.ts'
import { saveNames } from './names.ts'
import { removePassword, setPassword } from './password.ts'
import { pauseLink, resumeLink } from './pause.ts'
import { removePlacement, savePlacement } from './placements.ts'
import { createShare, revokeShare } from './shares.ts'
import { removeWebhook, renewSecret, setWebhook } from './webhook-actions.ts'

/** What the forms of the settings and of the deletion do, by their field `action`. */
export const settingsActions: Record<string, Action> = {
  names: saveNames,
  placement: savePlacement,
  'placement-removal': removePlacement,
  pause: pauseLink,
  resume: resumeLink,
  password: setPassword,
  'password-removal': removePassword,
  share: createShare,
  'share-revocation': revokeShare,
  webhook: setWebhook,
  'webhook-secret': renewSecret,
  'webhook-removal': removeWebhook,
  key: rotateKey,
  delete: deleteLink,
}
