import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DesignedImage } from './pool/job.ts'
import { createImages } from './images.ts'
import { readAppearance } from './options.ts'
import { drawPlain, type PlainJob } from './plain.ts'
import { createEncodeText } from './matrix.ts'

test('while many images wait, short ones are drawn on a free thread as well, with the same result', async () => {
  const state = { isBusy: false, isFree: false, onThread: 0 }
  const encode = createEncodeText()
  const pool: Parameters<typeof createImages>[0] = {
    async draw(job: PlainJob) {
      state.onThread++
      return drawPlain(encode, job)
    },
    render: () => Promise.reject(new Error('nothing is designed here')),
    picture: () => Promise.reject(new Error('no picture is drawn here')),
    isFree: () => state.isFree,
    close: async () => {},
  }
  const draw = async () => {
    const images = createImages(pool, () => state.isBusy)
    return (await images.plainOfAny('https://example.com/', readAppearance({ size: 200 }, 'png'), { level: 'M' })).tag
  }
  const tag = await draw()
  for (const [isBusy, isFree, onThread] of [
    [true, false, 0],
    [false, true, 0],
    [true, true, 1],
  ] as const) {
    Object.assign(state, { isBusy, isFree })
    assert.equal(await draw(), tag)
    assert.equal(state.onThread, onThread)
  }
})

test('a cached image takes the memory of its bytes, and keeps no slab of small buffers', async () => {
  const body = Buffer.from('an image that a thread has drawn')
  assert.notEqual(body.buffer.byteLength, body.length)
  const unused = () => Promise.reject(new Error('not requested'))
  const render = async () => ({ ...({} as DesignedImage), body })
  const images = createImages({ draw: unused, picture: unused, render, isFree: () => false, close: async () => {} })
  const job = { text: 'https://example.com/', design: {}, at: '', format: 'png', size: 200 } as const
  const plain = images.plain('https://example.com/', readAppearance({ size: 200 }, 'png'), { level: 'M' })
  for (const image of [await images.designed(job), plain]) assert.equal(image.body.buffer.byteLength, image.body.length)
})

test('nothing is drawn for a client that has disconnected before, but what is cached is answered', async () => {
  let drawn = 0
  const unused = () => Promise.reject(new Error('not requested'))
  const render = async () => ({ ...({} as DesignedImage), body: new Uint8Array([++drawn]) })
  const images = createImages({ draw: unused, picture: unused, render, isFree: () => false, close: async () => {} })
  const job = { text: 'https://example.com/', design: {}, at: '', format: 'png', size: 200 } as const
  const left = { signal: AbortSignal.abort(new Error('the client has left')) }
  await assert.rejects(images.designed(job, left), /the client has left/)
  assert.equal(drawn, 0)
  await images.designed(job)
  assert.deepEqual((await images.designed(job, left)).body, Buffer.from([1]))
})
