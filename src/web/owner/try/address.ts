import type { TryView } from './view.ts'

/** The address of the page as it is shown, and with another width or further parameters. */
export function addressOf(
  { access, width, placement, since }: Pick<TryView, 'access' | 'width' | 'placement' | 'since'>,
  { width: chosen = width, ...more }: { width?: number; only?: string; look?: string } = {},
): string {
  const query = new URLSearchParams({ mm: String(chosen) })
  if (placement !== undefined) query.set('placement', placement.id)
  query.set('since', String(since))
  for (const [name, value] of Object.entries(more)) query.set(name, value)
  return `${access.page}/try?${query.toString()}`
}
