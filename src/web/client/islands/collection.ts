import { fillText } from '../../../lib/fill-text.ts'
import { cleanAddress } from '../clean-address.ts'
import { enableCopyButtons } from '../copy.ts'
import { startKeeping } from '../keep-address.ts'

// On the page of a collection: keeps its private address, and selects all links of the page. The page works without it.

cleanAddress()
enableCopyButtons(document)
const keep = document.querySelector<HTMLElement>('.keep')
if (keep !== null) startKeeping(keep)
const [label, count] = ['.collection-all', '.collection-selected [data-some]'].map((selector) =>
  document.querySelector<HTMLElement>(selector),
)
const all = label?.querySelector('input')
if (label && all && count) startSelecting(label, all, count)

/** Has one box select all links of the page, and says how many are selected. */
function startSelecting(label: HTMLElement, all: HTMLInputElement, count: HTMLElement): void {
  const boxes = [...document.querySelectorAll<HTMLInputElement>('.collection-links [name=code]')]
  const { none = '', some = '' } = count.dataset
  const show = () => {
    const selected = boxes.filter(({ checked }) => checked).length
    all.checked = selected === boxes.length
    all.indeterminate = selected > 0 && !all.checked
    const text = selected === 0 ? none : fillText(some, { n: selected })
    if (count.textContent !== text) count.textContent = text
  }
  label.hidden = false
  all.addEventListener('change', () => {
    for (const box of boxes) box.checked = all.checked
    show()
  })
  for (const box of boxes) box.addEventListener('change', show)
  // Browsers restore what was selected after a reload and after "back".
  addEventListener('pageshow', show)
  show()
}
