// A thread that sets how much the kernel receives of a socket, for which Node has no function of its own. Only a thread that is told to has
// `node:ffi`, and the rest of the program has none.
import { dlopen } from 'node:ffi'
import { answerCalls } from '../lib/thread-calls.ts'

/** Of socket(7), on Linux. */
const SOL_SOCKET = 1
const SO_RCVBUF = 8

const { functions } = dlopen(null, {
  setsockopt: { arguments: ['i32', 'i32', 'i32', 'pointer', 'u32'], return: 'i32' },
})

/** @returns whether all were set; a socket that was closed meanwhile cannot be */
function bound(descriptors: readonly number[], bytes: number): boolean {
  const value = Int32Array.of(bytes)
  return descriptors.every((each) => functions.setsockopt(each, SOL_SOCKET, SO_RCVBUF, value, value.byteLength) === 0)
}

const calls = { bound }

export type ReceiveBufferCalls = typeof calls

answerCalls(calls)
