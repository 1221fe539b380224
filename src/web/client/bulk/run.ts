import { faultOf, type ApiError } from '../../bulk/faults.ts'
import { fillText } from '../../../lib/fill-text.ts'
import { count } from '../../bulk/count.ts'
import { bodyOf } from '../../bulk/rows.ts'
import { randomKey } from '../secure-context.ts'
import { saveSession } from './session.ts'
import { createdOf, isUnfinished, openOf, type GridRow, type State, type CreatedLink } from './state.ts'
import { callApi } from '../call-api.ts'
import { refusalOf, type Refusal } from '../create-collection.ts'
import { chooseCollection, endIfEmpty, keptCollections, openCollection } from './collection.ts'

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
        divide(markLocalFaults(state)).map((rows) => ({ rows })),
      ),
    async create() {
      const rows = markLocalFaults(state).concat(openOf(state).filter(({ state }) => state === 'ready'))
      const collection = state.together.isChosen ? chooseCollection(state, rows.length) : state.collection
      const isCollected = state.together.isChosen && collection !== undefined
      const chunks = divide(rows).map((ofChunk) => {
        return { key: randomKey(), ids: ofChunk.map(({ id }) => id), isDone: false, isCollected }
      })
      update({ chunks: [...state.chunks, ...chunks], collection, isSaved: false, table: undefined })
      saveSession(state)
      await resume()
    },
  }
}

/** Rows that one request sends; with a key they are created. */
interface RequestRows {
  rows: GridRow[]
  key?: string
  isCollected?: boolean
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
  for (const { rows, key, isCollected = false, end } of requests) {
    const body = JSON.stringify(rows.map(({ cells }) => bodyOf(cells)))
    const answer = await send(() => sendRows(state, body, { key, isCollected }))
    if (answer?.kind !== 'rows') return update({ run: undefined, notice: noticeOf(state, answer) })
    applyResults(rows, answer.results, state)
    if (isCollected) for (const row of rows) row.isCollected = row.state === 'created'
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
      row.fault = faultOf(result.error, row.cells, texts.faults)
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

/** Divides rows into what one request can hold. */
function divide(rows: GridRow[]): GridRow[][] {
  const chunks: GridRow[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const row of rows) {
    const length = JSON.stringify(row.cells).length + 32
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
async function sendRows(
  state: State,
  body: string,
  { key, isCollected }: { key: string | undefined; isCollected: boolean },
): Promise<Answer> {
  // Where the operator asks for a key, the page has an input for it.
  const accessCode = document.querySelector<HTMLInputElement>('[name=creation_key]')?.value.trim()
  const refusal = isCollected ? await openCollection(state, accessCode) : undefined
  if (refusal !== undefined) return refusal
  const collection = isCollected ? state.collection?.created?.token : undefined
  const headers = headersOf({
    'idempotency-key': key,
    'quirl-collection': collection,
    authorization: accessCode && `Bearer ${accessCode}`,
  })
  return askForRows(key === undefined ? '/api/bulk?dry_run=true' : '/api/bulk', { method: 'POST', headers, body })
}

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
