import type { Topic } from '../../bus/bus.ts'

/** PostgreSQL refuses a payload of 8,000 bytes or more. */
const MAX_BYTES = 7900

/** Messages of a node: the keys of one topic, or that it could not send some. */
export type Message = { node: string; topic: Topic; keys: string[] } | { node: string; topic: 'gap' }

/** Divides keys among as few payloads as they need. A key has far less than `MAX_BYTES`. */
export function encode(node: string, topic: Topic, keys: Iterable<string>): string[] {
  const payloads: string[] = []
  const empty = JSON.stringify([node, topic]).length
  let batch: string[] = []
  let bytes = empty
  const flush = () => {
    if (batch.length > 0) payloads.push(JSON.stringify([node, topic, ...batch]))
    batch = []
    bytes = empty
  }
  for (const key of keys) {
    const size = Buffer.byteLength(JSON.stringify(key)) + 1
    if (bytes + size > MAX_BYTES) flush()
    batch.push(key)
    bytes += size
  }
  flush()
  return payloads
}

export function encodeGap(node: string): string {
  return JSON.stringify([node, 'gap'])
}

/** Undefined for what is no message: anyone with access to the database can send on its channels. */
export function decode(payload: string): Message | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(payload)
  } catch {
    return undefined
  }
  if (!Array.isArray(parsed) || !parsed.every((each) => typeof each === 'string')) return undefined
  const [node, topic, ...keys] = parsed
  if (node === undefined || topic === undefined) return undefined
  return topic === 'gap' ? { node, topic } : { node, topic: topic as Topic, keys }
}
