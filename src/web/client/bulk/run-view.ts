import { h, type ComponentChild } from 'preact'
import { fillText } from '../../../lib/fill-text.ts'
import { count } from '../../bulk/count.ts'
import type { Runner } from './run.ts'
import { isUnfinished, openOf, type State } from './state.ts'

/** The buttons that send the rows, or how far it is. */
export function runView(state: State, runner: Runner, discard: () => void): ComponentChild {
  const { texts, run } = state
  if (run !== undefined) return progressView(state, runner)
  const button = (text: string, onClick: () => void, isPlain = false) =>
    h('button', { type: 'button', ...(isPlain && { class: 'plain' }), onClick }, text)
  if (isUnfinished(state)) {
    return h('div', { class: 'row' }, [
      button(texts.resume, () => void runner.resume()),
      button(texts.discard, discard, true),
    ])
  }
  const open = openOf(state)
  if (open.length === 0) return undefined
  const ready = open.filter(({ state }) => state === 'ready').length
  const isAllChecked = open.every(({ state }) => state === 'ready' || state === 'faulty')
  const check = button(texts.check, () => void runner.check(), isAllChecked)
  const create = button(count(texts.create, ready), () => void runner.create())
  return h('div', { class: 'row' }, ready > 0 && isAllChecked ? [create, check] : check)
}

function progressView({ texts, run }: State, runner: Runner): ComponentChild {
  const { kind, done, total, waitUntil } = run ?? { kind: 'checking', done: 0, total: 1 }
  const text = fillText(texts[kind], { done, n: total })
  const isWaiting = waitUntil !== undefined && waitUntil > Date.now()
  return h('div', { class: 'card bulk-progress' }, [
    h('p', { id: 'bulk-progress' }, text),
    h('progress', { max: total, value: done, 'aria-labelledby': 'bulk-progress' }),
    isWaiting && h('p', null, h('strong', null, waitText(texts, waitUntil, total - done))),
    isWaiting && h('button', { type: 'button', class: 'plain', onClick: runner.stop }, texts.stop),
  ])
}

function waitText(texts: State['texts'], until: number, n: number): string {
  const seconds = Math.max(1, Math.ceil((until - Date.now()) / 1_000))
  const time =
    seconds < 120 ? fillText(texts.seconds, { n: seconds }) : fillText(texts.minutes, { n: Math.ceil(seconds / 60) })
  return fillText(texts.waiting, { time, n })
}
