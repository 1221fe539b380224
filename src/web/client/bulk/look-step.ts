import type { Design } from '../../../qr/design/schema.ts'
import type { PreviewTexts } from '../../../texts/preview.ts'
import { isLookShown, sampleCodes } from './samples.ts'
import type { createCodeDrawer, createListDesigner, ListDesigner, ListDesignerNeeds } from './list-designer.ts'
import { forgetLookFaults, readLooks } from './looks.ts'
import type { Update } from './run.ts'
import { designOf, type State } from './state.ts'

/** What the script of the designer exports. */
export interface DesignerScript {
  createListDesigner: typeof createListDesigner
  createCodeDrawer: typeof createCodeDrawer
}

/** The step in which the codes get their look, where the page has one. */
export interface LookStep {
  /** Shows the step as the state is. */
  refresh: () => void
}

/** What the step shows and changes, and the buttons above which it is. */
interface StepParts {
  state: State
  update: Update
  buttons: HTMLElement
}

/** The texts and paths that the page gives the step. */
export interface LookPage {
  script: string
  font: string
  texts: PreviewTexts
}

/** @param codeText the text of a code, in which "{code}" stands for the code */
export function createLookStep(
  element: HTMLDetailsElement,
  page: LookPage,
  codeText: string,
  { state, update, buttons }: StepParts,
): LookStep {
  const keptLooks = createKeptLooks(element, state, update)
  let designer: ListDesigner | undefined
  let loading: Promise<void> | undefined
  let shown = ''

  const change = (look: Partial<State['look']>) => {
    forgetLookFaults(state)
    update({ look: { ...state.look, isRefused: false, ...look }, notice: undefined })
  }
  const open = async () => {
    designer = await loadDesigner(element, page, state, {
      onDesign: (own) => JSON.stringify(own) !== JSON.stringify(state.look.own) && change({ own }),
      onVerdict: (isUsable) =>
        isUsable === state.look.isRefused && update({ look: { ...state.look, isRefused: !isUsable } }),
    })
    refresh()
  }
  const refresh = () => {
    if (!isLookShown(state)) return element.remove()
    if (!element.isConnected) buttons.before(element)
    showChosen(element, state)
    // Another collection has other looks.
    if (element.open || state.look.name !== '') void keptLooks.refresh()
    if (!element.open) return
    void (loading ??= open())
    if (designer === undefined) return
    const first = { samples: sampleCodes(state, codeText), kept: state.look.kept[state.look.name] }
    const now = JSON.stringify(first)
    if (now === shown) return
    shown = now
    designer.show(first.samples, first.kept)
  }
  element.addEventListener('toggle', refresh)
  followInputs(element, (name) => change({ name }))
  return { refresh }
}

/** Loads the script of the designer, which most people never need, and has it follow the form. */
async function loadDesigner(
  element: HTMLElement,
  { script, texts, font }: LookPage,
  { texts: { designFaults } }: State,
  listeners: Pick<ListDesignerNeeds, 'onDesign' | 'onVerdict'>,
): Promise<ListDesigner | undefined> {
  const form = element.querySelector('form')
  const { createListDesigner } = (await import(script)) as DesignerScript
  return form === null
    ? undefined
    : createListDesigner(form, {
        texts: { ...texts, faults: designFaults },
        font,
        image: `${texts.image}: {row}`,
        ...listeners,
      })
}

/** @param choose called with the name of a look of the collection; empty for that of the form */
function followInputs(element: HTMLElement, choose: (name: string) => void): void {
  const form = element.querySelector('form')
  const select = element.querySelector<HTMLSelectElement>('#bulk-look')
  select?.addEventListener('change', () => choose(select.value))
  form?.addEventListener('submit', (event) => event.preventDefault())
  // Inputs are reset after the event.
  form?.addEventListener('reset', () =>
    setTimeout(() => {
      form.querySelector('[name=logo]')?.dispatchEvent(new Event('change', { bubbles: true }))
    }),
  )
}

function showChosen(element: HTMLElement, state: State): void {
  const [summary, form] = [element.querySelector('summary span'), element.querySelector('form')]
  if (summary) summary.textContent = chosenText(state)
  if (form) form.hidden = state.look.kept[state.look.name] !== undefined
}

/** What the closed step says. */
function chosenText(state: State): string {
  const { plain, ownChosen } = state.texts.look
  if (designOf(state) === undefined) return plain
  return state.look.name === '' ? ownChosen : state.look.name
}

/** The looks of the collection that the links are to join. */
function createKeptLooks(element: HTMLElement, state: State, update: Update): { refresh: () => Promise<void> } {
  const select = element.querySelector<HTMLSelectElement>('#bulk-look')
  let token = ''

  function offer(kept: Record<string, Design>): void {
    for (const option of [...(select?.options ?? [])].slice(1)) option.remove()
    for (const name of Object.keys(kept)) select?.append(new Option(name, name))
    const row = select?.closest('p')
    if (row) row.hidden = Object.keys(kept).length === 0
    update({ look: { ...state.look, kept, name: '' } })
  }
  return {
    async refresh() {
      const { isChosen, kept } = state.together
      const wanted = isChosen ? (state.collection?.created?.token ?? kept) : ''
      if (wanted === token) return
      token = wanted
      const found = wanted === '' ? { looks: {} } : await readLooks(wanted).catch(() => ({ looks: {} }))
      // Without them, a new look can be designed all the same.
      if (token === wanted) offer('looks' in found ? found.looks : {})
    },
  }
}

function lookPageOf({ dataset: { script = '', font = '', texts = '{}' } }: HTMLElement): LookPage {
  return { script, font, texts: JSON.parse(texts) as PreviewTexts }
}

/** Loads what draws codes with designs, which are only where the step was used. */
export async function loadCodeDrawer(): Promise<ReturnType<typeof createCodeDrawer>> {
  const template = document.querySelector<HTMLTemplateElement>('template[data-bulk-look]')
  const { script = '', font = '' } = template?.dataset ?? {}
  return ((await import(script)) as DesignerScript).createCodeDrawer(font)
}

/** @returns the step of a page; undefined where it has none */
export function findLookStep(codeText: string, parts: StepParts): LookStep | undefined {
  const template = document.querySelector<HTMLTemplateElement>('template[data-bulk-look]')
  const element = template?.content.querySelector('details')
  if (!template || !element) return undefined
  return createLookStep(element, lookPageOf(template), codeText, parts)
}
