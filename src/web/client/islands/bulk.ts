import { h, render, type ComponentChild } from 'preact'
import type { IslandTexts } from '../../bulk/island-texts.ts'
import { createActions, type Actions } from '../bulk/actions.ts'
import { takeOverForm } from '../bulk/form.ts'
import { gridView } from '../bulk/grid-view.ts'
import { mappingView } from '../bulk/mapping-view.ts'
import { endIfEmpty } from '../bulk/collection.ts'
import { togetherView } from '../bulk/collection-view.ts'
import { createResultActions } from '../bulk/results.ts'
import { resultsView } from '../bulk/results-view.ts'
import { createRunner, type Runner, type Update } from '../bulk/run.ts'
import { findLookStep } from '../bulk/look-step.ts'
import { runView } from '../bulk/run-view.ts'
import { readSession } from '../bulk/session.ts'
import { rememberAccess } from '../remember-access.ts'
import { createdOf, isUnfinished, newState, openOf, type State } from '../bulk/state.ts'

// Checks and corrects a list in the browser, and creates its links in several requests. The form works without it.

const root = document.querySelector<HTMLElement>('[data-bulk]')
const form = root?.querySelector('form')
if (root && form) start(root, form)
rememberAccess()

function start(root: HTMLElement, form: HTMLFormElement): void {
  const { texts: json = '{}', codeText = '', workbook = '' } = root.dataset
  const state = newState(JSON.parse(json) as IslandTexts)
  const [container, buttons] = [document.createElement('div'), document.createElement('div')]
  root.append(container)
  // Beside the field of the file, while that is shown.
  const beside = document.createElement('div')
  form.querySelector('.bulk-drop')?.after(beside)
  const update: Update = (change) => {
    Object.assign(state, change)
    root.firstElementChild?.toggleAttribute('hidden', state.rows.length > 0)
    const isEmpty = state.rows.length === 0
    render(noticeView(isEmpty ? state.notice : undefined), beside)
    render(view(state, parts, isEmpty ? undefined : state.notice), container)
    lookStep?.refresh()
    render(buttonsView(state, parts), buttons)
  }
  const results = createResultActions(state, update, codeText)
  const parts: PageParts = {
    actions: createActions(state, update, () => import(workbook)),
    results: () => resultsView(state, results, { update, startOver: parts.actions.startOver }),
    runner: createRunner(state, update),
    together: () => togetherView(state, update),
    giveUp() {
      update({ chunks: state.chunks.map((chunk) => ({ ...chunk, isDone: true })), notice: undefined })
      void endIfEmpty(state)
    },
  }

  const lookStep = findLookStep(codeText, { state, update, buttons })
  root.append(buttons)
  takeOverForm(form, state.texts, {
    load: parts.actions.load,
    typeRows: parts.actions.add,
    fail: (text) => update({ notice: { text, isAlarm: true } }),
  })
  warnOfLoss(state)
  const saved = readSession()
  update(saved === undefined ? {} : { ...saved, notice: { text: state.texts.resumed } })
}

/** Asks before a page is left whose links are not saved. */
function warnOfLoss(state: State): void {
  addEventListener('beforeunload', (event) => {
    const isUnsaved = createdOf(state).length > 0 && !state.isSaved
    if (state.run !== undefined || isUnfinished(state) || isUnsaved) event.preventDefault()
  })
}

interface PageParts {
  actions: Actions
  results: () => ComponentChild
  runner: Runner
  together: () => ComponentChild
  /** Gives up creations that were begun. */
  giveUp: () => void
}

function noticeView(notice: State['notice']): ComponentChild {
  const className = notice?.isUnseen ? 'unseen' : notice && `note bulk-panel${notice.isAlarm ? ' alarm' : ''}`
  return h('p', { role: 'status', class: className }, notice?.text)
}

/** All above the buttons that send the rows, and the step in which they get their look. */
function view(state: State, { results, together, actions }: PageParts, notice: State['notice']): ComponentChild {
  const isLocked = isUnfinished(state)
  return h('div', null, [
    noticeView(notice),
    results(),
    !isLocked && mappingView(state, actions),
    !isLocked && gridView(state, actions),
    !isLocked && openOf(state).length > 0 && together(),
  ])
}

function buttonsView(state: State, { actions, runner, giveUp }: PageParts): ComponentChild {
  const { texts, rows, run } = state
  const canStartOver = rows.length > 0 && createdOf(state).length === 0 && run === undefined && !isUnfinished(state)
  return h('div', { class: 'row bulk-panel bulk-screen' }, [
    runView(state, runner, giveUp),
    canStartOver && h('button', { type: 'button', class: 'plain', onClick: actions.startOver }, texts.startOver),
  ])
}
