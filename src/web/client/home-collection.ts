import { chooseCollection } from '../my-links/kept-collections.ts'
import { readKeptCollections, writeKeptCollections } from '../my-links/kept-links.ts'
import { element } from './element.ts'
import { keptStorage } from './kept-storage.ts'

/**
 * Offers the collections that this browser keeps for a new link, where there are some: that of the last link first.
 * @returns offers those that are kept now
 */
export function offerCollections(): () => void {
  const field = document.querySelector<HTMLElement>('.home-collection')
  const select = field?.querySelector('select')
  const none = select?.options[0]
  if (!field || !select || !none) return () => {}
  /** What a refused form has chosen, and how the service calls it. */
  const refused = select.selectedOptions[0]
  let value = refused?.value || undefined
  const show = () => {
    const kept = readKeptCollections(keptStorage)
    const isKept = kept.some(({ token }) => token === refused?.value)
    const options = kept.map(({ token, name }) => {
      const option = element('option', '', name?.trim() || (field.dataset['unnamed'] ?? ''))
      option.value = token
      return option
    })
    const others = refused && refused !== none && !isKept ? [refused] : []
    select.replaceChildren(none, ...others, ...options)
    value ??= kept.find(({ chosen }) => chosen)?.token
    select.value = [...select.options].some((option) => option.value === value) ? (value ?? '') : ''
    field.hidden = select.options.length === 1
  }
  select.addEventListener('change', () => {
    value = select.value
  })
  select.form?.addEventListener('submit', () => {
    const kept = readKeptCollections(keptStorage)
    if (kept.length > 0) writeKeptCollections(keptStorage, chooseCollection(kept, select.value))
  })
  show()
  return show
}
