import type { StatisticsView } from '../statistics/view.ts'
import { fieldName } from './field-words.ts'
import type { OwnerView } from './view.ts'

/** What the owner has changed, and when: marks of the chart. Of the first version nothing is known. */
export function changeMarks({ link, history, language }: OwnerView): NonNullable<StatisticsView['changes']> {
  return history.flatMap(({ at, changes }) => {
    const names = Object.keys(changes ?? {}).map((name) => fieldName(link, name, language))
    return names.length === 0 ? [] : [{ at, text: [...new Set(names)].join(', ') }]
  })
}

/** Whether a webhook reports milestones, or may be set to. */
export function milestonesOf({ settings: { hasWebhooks, webhook } }: OwnerView): StatisticsView['milestones'] {
  if (webhook?.events.includes('scans.milestone') === true) return 'reported'
  return hasWebhooks ? 'possible' : undefined
}
