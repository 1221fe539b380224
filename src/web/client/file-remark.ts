import { fileHost } from '../../lib/file-host.ts'
import { fillText } from '../../lib/fill-text.ts'
import { withScheme } from '../../lib/with-scheme.ts'
import { element } from './element.ts'

/** Returns a function that remarks below the field of the destination that its host is the name of a file. */
export function createFileRemark(form: HTMLFormElement, text: string): () => void {
  const remark = element('p', 'hint home-file')
  remark.role = 'status'
  return () => {
    const field = form.querySelector<HTMLInputElement>('.home-kind [name=target]')
    const host = field === null ? undefined : fileHost(withScheme(field.value))
    if (field === null) return remark.remove()
    const said = host === undefined ? '' : fillText(text, { host })
    if (remark.textContent !== said) remark.textContent = said
    if (remark.previousElementSibling !== field) field.after(remark)
  }
}
