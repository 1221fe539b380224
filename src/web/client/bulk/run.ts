import { faultOf, type ApiError } from '../../bulk/faults.ts'
import { fillText } from '../../../lib/fill-text.ts'
import { count } from '../../bulk/count.ts'
import { bodyOf } from '../../bulk/rows.ts'
import { randomKey } from '../secure-context.ts'
import { saveSession } from './session.ts'
import {
  createdOf,
  isUnfinished,
  openOf,
  type Chunk,
  type GridRow,
  type ListLook,
  type State,
  type CreatedLink,
} from './state.ts'
import { callApi } from '../call-api.ts'
import { refusalOf, type Refusal } from '../create-collection.ts'
import { chooseCollection, endIfEmpty, keptCollections, openCollection } from './collection.ts'
import { chooseLook, lookFault, lookRefusal, openLook, rowDesign } from './looks.ts'

/** Rows and characters of one request: the service takes 500 rows and 4 MiB. */
const CHUNK_ROWS = 500
const CHUNK_CHARACTERS = 1_200_000
type RowOutcome = { index: number } & (CreatedLink | { error: ApiError } | { valid: true })
/** What became of a request: the outcome of each row, or why there is none. */
type Answer = { kind: 'rows'; results: RowOutcome[] } | Refusal

/** Changes the state and shows it. */
export type Update = (change: Partial<State>) => void

export interface Runner {
  check: () => Promise<void>
  /** Creates the rows that have no faults. */
  create: () => Promise<void>
  /** Goes on with creations that were begun. */
  resume: () => Promise<void>
  /** Ends the run while it waits. */
  stop: () => void
}

/** Sends the rows, chunk by chunk, and waits when a limit is reached. */
export function createRunner(state: State, update: Update): Runner {
  let stopWaiting: (() => void) | undefined

  /** @returns false when the client has stopped it */
  async function wait(seconds: number): Promise<boolean> {
    const waitUntil = Date.now() + seconds * 1_000
    if (state.run !== undefined) update({ run: { ...state.run, waitUntil } })
    const isStopped = await new Promise<boolean>((resolve) => {
      const end = (isStopped: boolean) => {
        clearInterval(timer)
        resolve(isStopped)
      }
      const timer = setInterval(() => (Date.now() >= waitUntil ? end(false) : update({})), 1_000)
      stopWaiting = () => end(true)
    })
    stopWaiting = undefined
    return !isStopped
  }

  const send: Send = async (ask) => {
    for (;;) {
      const answer = await ask()
      if (answer.kind !== 'wait') return answer
      if (!(await wait(answer.seconds))) return undefined
    }
  }

  return { ...createSteps(state, update, send), stop: () => stopWaiting?.() }
}

type Done = Exclude<Answer, { kind: 'wait' }>
/** Asks until the answer is another than to wait. @returns undefined when the client has stopped it */
type Send = (ask: () => Promise<Answer>) => Promise<Done | undefined>

function createSteps(state: State, update: Update, send: Send): Omit<Runner, 'stop'> {
  async function run(kind: 'checking' | 'creating', requests: RequestRows[]) {
    await sendAll({ state, update, send }, kind, requests)
    if (state.notice === undefined) finish(state, update)
  }

  async function resume() {
    const byId = new Map(state.rows.map((row) => [row.id, row]))
    const requests = state.chunks
      .filter(({ isDone }) => !isDone)
      .map((chunk): RequestRows => {
        const rows = chunk.ids.flatMap((id) => byId.get(id) ?? [])
        return { ...chunk, rows, end: () => (chunk.isDone = true) }
      })
    await run('creating', requests)
    if (!isUnfinished(state)) await endIfEmpty(state)
    // Whoever keeps the collection has the addresses of all its links.
    const isKept = keptCollections().some(({ token }) => token === state.collection?.created?.token)
    if (isKept && createdOf(state).every(({ isCollected }) => isCollected)) update({ isSaved: true })
  }

  return {
    resume,
    check: () =>
      run(
        'checking',
        divide(markLocalFaults(state), 0).map((rows) => ({ rows })),
      ),
    async create() {
      const refusal = begin(state, update)
      if (refusal !== undefined) return update({ notice: { text: refusal, isAlarm: true } })
      await resume()
    },
  }
}

/** Divides the rows without faults into creations, and saves them. @returns why none is begun, in people's words */
function begin(state: State, update: Update): string | undefined {
  const rows = markLocalFaults(state).concat(openOf(state).filter(({ state }) => state === 'ready'))
  const collection = state.together.isChosen ? chooseCollection(state, rows.length) : state.collection
  const isCollected = state.together.isChosen && collection !== undefined
  const refusal = lookRefusal(state, isCollected)
  if (refusal !== undefined) return refusal
  const look = chooseLook(state, isCollected)
  const inEachRow = look === undefined ? 0 : JSON.stringify(rowDesign(lookAt(state, look))).length
  const chunks = divide(rows, inEachRow).map((ofChunk): Chunk => {
    return { key: randomKey(), ids: ofChunk.map(({ id }) => id), isDone: false, isCollected, look }
  })
  update({ chunks: [...state.chunks, ...chunks], collection, isSaved: false, table: undefined })
  saveSession(state)
  return undefined
}

/** Rows that one request sends; with a key they are created. */
interface RequestRows {
  rows: GridRow[]
  key?: string
  isCollected?: boolean
  look?: number | undefined
  end?: () => void
}

/** Sends rows until the answer to one request says to end. */
async function sendAll(
  { state, update, send }: { state: State; update: Update; send: Send },
  kind: 'checking' | 'creating',
  requests: RequestRows[],
): Promise<void> {
  const total = requests.reduce((sum, { rows }) => sum + rows.length, 0)
  let done = 0
  update({ run: { kind, done, total }, notice: undefined, sheet: undefined })
  for (const { end, ...request } of requests) {
    const { rows, isCollected = false, look } = request
    const answer = await send(() => sendRows(state, request))
    if (answer?.kind !== 'rows') return update({ run: undefined, notice: noticeOf(state, answer) })
    applyResults(rows, answer.results, state)
    for (const row of rows.filter((row) => row.state === 'created')) {
      row.isCollected = isCollected
      if (look !== undefined) row.design = lookAt(state, look).design
    }
    end?.()
    done += rows.length
    update({ run: { kind, done, total } })
  }
  update({ run: undefined })
}

/** Tells how the run ended, and shows the rows to correct. */
function finish(state: State, update: Update): void {
  const { texts } = state
  const faulty = state.rows.filter(({ state }) => state === 'faulty')
  if (faulty.length > 0) {
    const text = count(texts.someFaulty, faulty.length)
    return update({ shown: faulty.map(({ id }) => id), from: 0, notice: { text, isAlarm: true } })
  }
  const ready = openOf(state).length
  const text = ready > 0 ? count(texts.allReady, ready) : count(texts.done, createdOf(state).length)
  update({ shown: undefined, notice: { text, isUnseen: ready === 0 } })
}

function noticeOf({ texts }: State, answer: Exclude<Done, { kind: 'rows' }> | undefined): State['notice'] {
  if (answer === undefined) return { text: texts.stopped }
  if (answer.kind === 'offline') return { text: texts.offline, isAlarm: true }
  if (answer.code === 'collection_full') return { text: texts.together.isFull, isAlarm: true }
  if (answer.code === 'collection_not_found') return { text: texts.together.isGone, isAlarm: true }
  return { text: fillText(texts.problems.failed, { detail: answer.detail }), isAlarm: true }
}

function applyResults(rows: GridRow[], results: RowOutcome[], { texts }: State): void {
  for (const [at, row] of rows.entries()) {
    const result = results[at]
    delete row.fault
    if (result === undefined) continue
    if ('error' in result) {
      row.state = 'faulty'
      row.fault = lookFault(result.error, texts) ?? faultOf(result.error, row.cells, texts.faults)
    } else if ('code' in result) {
      row.state = 'created'
      row.link = result
    } else row.state = 'ready'
  }
}

/** Marks what needs no request to be found. @returns the rows that are still to be checked */
function markLocalFaults(state: State): GridRow[] {
  const { faults } = state.texts
  const seen = new Set<string>()
  for (const row of state.rows) {
    const alias = (row.cells.alias ?? '').trim().toLowerCase()
    const isRepeated = alias !== '' && seen.has(alias)
    seen.add(alias)
    if (row.state === 'created') continue
    const isMissing = (row.cells.target ?? '').trim() === ''
    if (isMissing) Object.assign(row, { state: 'faulty', fault: { field: 'target', text: faults.target_missing } })
    else if (isRepeated) Object.assign(row, { state: 'faulty', fault: { field: 'alias', text: faults.alias_twice } })
    else if (row.fault?.text === faults.alias_twice) row.state = 'new'
  }
  return state.rows.filter((row) => row.state === 'new')
}

/** Divides rows into what one request can hold. @param inEachRow characters that each row has besides its cells */
function divide(rows: GridRow[], inEachRow: number): GridRow[][] {
  const chunks: GridRow[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const row of rows) {
    const length = JSON.stringify(row.cells).length + 32 + inEachRow
    const last = chunks.at(-1)
    if (last === undefined || last.length >= CHUNK_ROWS || size + length > CHUNK_CHARACTERS) {
      chunks.push([row])
      size = length
    } else {
      last.push(row)
      size += length
    }
  }
  return chunks
}

/** Sends rows to the API; with a key they are created, in the collection of the list or alone; without one only checked. */
async function sendRows(state: State, { rows, key, isCollected = false, look }: RequestRows): Promise<Answer> {
  const accessCode = enteredAccessCode()
  const chosen = look === undefined ? undefined : lookAt(state, look)
  const refusal = isCollected ? await openTogether(state, chosen, accessCode) : undefined
  if (refusal !== undefined) return refusal
  const collection = isCollected ? state.collection?.created?.token : undefined
  const headers = headersOf({
    'idempotency-key': key,
    'quirl-collection': collection,
    authorization: accessCode && `Bearer ${accessCode}`,
  })
  const design = chosen && { design: rowDesign(chosen) }
  const body = JSON.stringify(rows.map(({ cells }) => ({ ...bodyOf(cells), ...design })))
  return askForRows(key === undefined ? '/api/bulk?dry_run=true' : '/api/bulk', { method: 'POST', headers, body })
}

/** Where the operator asks for a key, the page has an input for it. */
function enteredAccessCode(): string | undefined {
  return document.querySelector<HTMLInputElement>('[name=creation_key]')?.value.trim()
}

/** Creates the collection of the list and has it keep the look of its rows, where that is still to be done. */
async function openTogether(
  state: State,
  look: ListLook | undefined,
  accessCode: string | undefined,
): Promise<Refusal | undefined> {
  return (await openCollection(state, accessCode)) ?? (await openLook(state, look))
}

const lookAt = ({ looks }: State, at: number) => looks[at] as ListLook

function headersOf(values: Record<string, string | undefined>): Record<string, string> {
  const given = Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1]))
  return { 'content-type': 'application/json', ...Object.fromEntries(given) }
}

async function askForRows(url: string, init: RequestInit): Promise<Answer> {
  try {
    const response = await callApi(url, init)
    if ([429, 503].includes(response.status) || response.status >= 500) return await refusalOf(response)
    const { results, code = '', detail = '' } = (await response.json()) as Answered
    return results === undefined ? { kind: 'refused', code, detail } : { kind: 'rows', results }
  } catch {
    return { kind: 'offline' }
  }
}

/** The result of each row, or the problem of the request. */
interface Answered {
  results?: RowOutcome[]
  code?: string
  detail?: string
}
