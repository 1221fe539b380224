import { fillText } from '../../../lib/fill-text.ts'
import { mailTo, type Message } from '../../mail-to.ts'
import { copyText } from '../copy.ts'
import { keepableCollection } from '../keepable.ts'
import { saveFile } from '../save-file.ts'
import { share } from '../secure-context.ts'
import type { Update } from './run.ts'
import type { State } from './state.ts'

/** What a person does with the address of the collection of the created links. */
export interface CollectionActions {
  address: () => string
  copy: () => Promise<void>
  share: () => Promise<void>
  /** The address of an e-mail with it. */
  mail: () => string
  /** Notes that it was sent. */
  take: () => void
  save: () => void
  keep: () => void
}

/** @param setSaved called once the address was kept somewhere */
export function createCollectionActions(state: State, update: Update, setSaved: () => void): CollectionActions {
  const { texts } = state
  const address = () => addressOf(state)
  const message = () => messageOf(state)
  return {
    address,
    async copy() {
      const isCopied = await copyText(address())
      if (isCopied) setSaved()
      update(
        isCopied
          ? { copied: 'collection' }
          : { copied: undefined, notice: { text: texts.together.notCopied, isAlarm: true } },
      )
    },
    async share() {
      // A person who closes the browser's list of targets rejects the promise.
      await share(message()).then(setSaved, () => {})
    },
    mail: () => mailTo(message()),
    take: setSaved,
    save() {
      saveFile(`${fillText(texts.together.fileName, { name: nameOf(state) })}.txt`, 'text/plain', message().text)
      setSaved()
    },
    keep() {
      const created = state.collection?.created
      if (created === undefined) return
      const outcome = keepableCollection(created).keep()
      if (outcome === 'kept') setSaved()
      const text = { kept: texts.together.kept, full: texts.together.full, failed: texts.notKept }[outcome]
      update({ notice: { text, isAlarm: outcome !== 'kept' } })
    },
  }
}

function addressOf({ collection }: State): string {
  return `${location.origin}/c/${collection?.created?.token ?? ''}`
}

function nameOf({ collection, texts }: State): string {
  return collection?.name || texts.together.unnamed
}

function messageOf(state: State): Message {
  const { title, text } = state.texts.together.message
  const values = { name: nameOf(state), address: addressOf(state) }
  return { title: fillText(title, values), text: fillText(text, values) }
}
