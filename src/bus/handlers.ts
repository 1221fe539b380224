import type { Bus, Topic } from './bus.ts'
import { decode } from './messages.ts'

/** The handlers of the messages of other nodes. */
export interface Handlers extends Pick<Bus, 'subscribe' | 'onGap'> {
  /** Handles what a listener has received; ignores the messages of this node itself. */
  receive: (payload: string) => void
  /** Calls the handlers of gaps. */
  gap: () => void
  /** How often there was a gap. */
  gaps: () => number
}

export function createHandlers(node: string): Handlers {
  const subscribed = new Map<Topic, ((keys: string[]) => void)[]>()
  const onGap: (() => void)[] = []
  let gaps = 0
  const gap = () => {
    gaps++
    for (const handler of onGap) handler()
  }
  return {
    gap,
    gaps: () => gaps,
    onGap: (handler) => void onGap.push(handler),
    subscribe: (topic, handler) => void subscribed.set(topic, [...(subscribed.get(topic) ?? []), handler]),
    receive(payload) {
      const message = decode(payload)
      if (message === undefined || message.node === node) return
      if (message.topic === 'gap') return gap()
      for (const handler of subscribed.get(message.topic) ?? []) handler(message.keys)
    },
  }
}
