import { fillText } from '../../../lib/fill-text.ts'
import type { IslandTexts } from '../../bulk/island-texts.ts'
import { MAX_LIST_SIZE } from './read-table.ts'

interface FormActions {
  load: (source: string | Uint8Array) => Promise<void>
  typeRows: () => void
  fail: (text: string) => void
}

/** Makes the form read its list in the browser: a chosen or dropped file, or what was pasted. */
export function takeOverForm(form: HTMLFormElement, texts: IslandTexts, actions: FormActions): void {
  const picker = form.querySelector<HTMLInputElement>('[type=file]')
  const list = form.querySelector('textarea')
  const drop = form.querySelector<HTMLElement>('.bulk-drop')
  const buttons = form.querySelector('.bulk-actions')
  if (picker === null || list === null || drop === null || buttons === null) return

  const read = async (file: File | undefined) => {
    if (file === undefined) return
    if (file.size > MAX_LIST_SIZE) return actions.fail(fillText(texts.problems.tooLarge, { size: '4 MB' }))
    await actions.load(new Uint8Array(await file.arrayBuffer()))
  }
  picker.addEventListener('change', () => void read(picker.files?.[0]))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (list.value.trim() === '') void (picker.files?.[0] ? read(picker.files[0]) : actions.fail(texts.problems.empty))
    else void actions.load(list.value)
  })
  for (const type of ['dragenter', 'dragover']) {
    drop.addEventListener(type, (event) => {
      event.preventDefault()
      drop.classList.add('over')
    })
  }
  for (const type of ['dragleave', 'drop']) drop.addEventListener(type, () => drop.classList.remove('over'))
  drop.addEventListener('drop', (event) => {
    event.preventDefault()
    void read(event.dataTransfer?.files[0])
  })

  drop.querySelector('small')?.append(`, ${texts.drop}`)
  buttons.replaceChildren(
    newButton({ type: 'submit', text: texts.showRows }),
    newButton({ type: 'button', text: texts.typeRows, onClick: actions.typeRows }),
  )
  // The script asks for it where the links are created.
  for (const part of ['.bulk-plain', '.bulk-together']) form.querySelector(part)?.remove()
}

function newButton({ type, text, onClick }: { type: 'submit' | 'button'; text: string; onClick?: () => void }) {
  const button = document.createElement('button')
  button.type = type
  button.textContent = text
  if (onClick !== undefined) {
    button.className = 'plain'
    button.addEventListener('click', onClick)
  }
  return button
}
