import { copyText } from '../copy.ts'
import { drawCodes, labelsOf, linksCsv, linksZip, saveFile } from './files.ts'
import { keepRows } from './keep.ts'
import type { Update } from './run.ts'
import { clearSession } from './session.ts'
import { createdOf, isUnfinished, type State } from './state.ts'

/** What a person does with the created links. */
export interface ResultActions {
  saveCsv: () => void
  saveZip: () => Promise<void>
  openSheet: () => Promise<void>
  closeSheet: () => void
  copy: (text: string, name: string) => Promise<void>
  keep: () => void
}

export function createResultActions(state: State, update: Update, codeText: string): ResultActions {
  const { texts } = state

  // What is saved need not be restored after a reload.
  const setSaved = () => {
    const isSaved = !isUnfinished(state)
    if (isSaved) clearSession()
    update({ isSaved, isStartOverAsked: false, notice: undefined })
  }
  const draw = () => drawAll(state, update, codeText)
  return {
    saveCsv() {
      saveFile('links.csv', new Blob([linksCsv(createdOf(state))], { type: 'text/csv' }))
      setSaved()
    },
    async saveZip() {
      const images = await draw()
      saveFile('links.zip', await linksZip(createdOf(state), images))
      setSaved()
    },
    async openSheet() {
      update({ sheet: labelsOf(createdOf(state), await draw()) })
    },
    closeSheet() {
      for (const { url } of state.sheet ?? []) URL.revokeObjectURL(url)
      update({ sheet: undefined })
    },
    async copy(text, name) {
      const isCopied = await copyText(text)
      update(isCopied ? { copied: name } : { copied: undefined, notice: { text: texts.notCopied, isAlarm: true } })
    },
    keep() {
      const outcome = keepRows(createdOf(state))
      if (outcome === 'kept') setSaved()
      update({ notice: { text: texts[outcome], isAlarm: outcome !== 'kept' } })
    },
  }
}

async function drawAll(state: State, update: Update, codeText: string): Promise<string[]> {
  const rows = createdOf(state)
  const show = (done: number) => update({ run: { kind: 'drawing', done, total: rows.length } })
  show(0)
  try {
    return await drawCodes(rows, codeText, show)
  } finally {
    update({ run: undefined })
  }
}
