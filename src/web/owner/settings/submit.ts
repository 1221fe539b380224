import { isUnknown } from '../access.ts'
import { Problem } from '../../../http/problem.ts'
import type { OwnedLink } from '../../../links/design.ts'
import type { Language } from '../../../texts/language.ts'
import { settingsTexts } from '../../../texts/settings.ts'
import { FORM_KEY } from '../../form-idempotency.ts'
import { truncateInput } from '../../typed-input.ts'
import type { Outcome, Submission } from '../submission.ts'

/** The form of a setting. */
export interface SettingsForm {
  /** The id of the element with the form. */
  at: string
  /** The start of the pointers of its fields. */
  pointers: string[]
  /** What the owner has typed, to show it again when it is refused. */
  values?: Record<string, string>
  /** The same of boxes that belong together. */
  chosen?: string[]
  /** The texts of problems that are said differently here. */
  says?: Partial<Record<Problem['code'], string>>
}

/** Runs the change of a form; a problem is shown in its card. */
export async function submit(
  { at, pointers, values = {}, chosen, says = {} }: SettingsForm,
  { links, access, language }: Submission,
  change: (owned: OwnedLink) => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await change(await links.readByToken(access.credential))
  } catch (error) {
    if (!(error instanceof Problem) || isUnknown(error)) throw error
    const { problem, values: typed } = truncateInput({ values, utm: {}, problem: error })
    const isMarked = problem.errors.some(({ pointer }) => pointers.some((start) => pointer.startsWith(start)))
    const text = says[problem.code] ?? (isMarked ? settingsTexts[language].refused.marked : reasonOf(problem, language))
    return {
      refused: {
        owned: await links.readByToken(access.credential),
        at,
        text,
        isMarked,
        problem,
        values: typed,
        ...(chosen && { chosen }),
      },
    }
  }
}

function reasonOf({ code, headers }: Problem, language: Language): string {
  const { refused } = settingsTexts[language]
  const texts: Partial<Record<Problem['code'], string>> = {
    precondition_failed: refused.conflict,
    link_removed: refused.removed,
    unavailable: refused.busy,
    target_blocked: refused.destination,
    rate_limited: refused.limited(Math.max(1, Math.ceil(Number(headers['retry-after'] ?? 60) / 60))),
  }
  return texts[code] ?? refused.other
}

/** The idempotency key of a form, when it has a valid one. */
export function keyOf(form: URLSearchParams): string | undefined {
  const key = form.get(FORM_KEY) ?? ''
  return /^[\w-]{16,255}$/.test(key) ? key : undefined
}
