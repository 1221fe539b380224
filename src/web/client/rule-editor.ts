import { readRule } from '../owner/rules/read-rule.ts'
import { ruleSentence, type Wording } from '../owner/rules/sentence.ts'

/** Shows the sentence of the rule in the editor as it changes, and proposes time zones. */
export function followRuleEditor(): void {
  const form = document.querySelector<HTMLFormElement>('form.rule-editor')
  const preview = form?.querySelector('.rule-preview')
  if (!form || !preview) return
  const wording = JSON.parse(form.dataset['texts'] ?? '') as Wording
  proposeZones(form)
  const update = () => {
    const data = new FormData(form)
    const typed = (name: string) => data.getAll(name).filter((value) => typeof value === 'string')
    // The sentence shows local times as they are typed.
    const { rule, faults } = readRule(typed, { language: wording.language, instantOf: (local) => local })
    const sentence = faults.length > 0 ? (form.dataset['unclear'] ?? '') : ruleSentence(rule, wording)
    if (preview.textContent !== sentence) preview.textContent = sentence
  }
  form.addEventListener('input', update)
  update()
}

function proposeZones(form: HTMLFormElement): void {
  const zone = form.querySelector<HTMLInputElement>('[name=timezone]')
  if (zone === null) return
  if (form.dataset['new'] === 'yes') zone.value = new Intl.DateTimeFormat().resolvedOptions().timeZone
  const list = document.createElement('datalist')
  list.id = 'rule-zones'
  list.append(...Intl.supportedValuesOf('timeZone').map((name) => new Option(name, name)))
  form.append(list)
}
