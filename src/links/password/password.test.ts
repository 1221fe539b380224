import assert from 'node:assert/strict'
import { scryptSync } from 'node:crypto'
import { test } from 'node:test'
import { createPasswords, nodeScrypt, type Cost, type PasswordHash, type Scrypt } from './password.ts'
import { asHolder } from '../../lib/holder.ts'
import type { Waiter } from '../../lib/turns.ts'

const holder = asHolder('192.0.2.1')
const atOnce = <T>(_who: Waiter, work: () => Promise<T>) => work()
/** As the usual one, at a cost that tests can pay often. */
const cheap: Scrypt = (password, salt) => nodeScrypt(password, salt, { ln: 1, r: 1, p: 1 })
const passwords = createPasswords(atOnce, cheap)

test('a password is stored as a PHC string with its parameters, from which another implementation derives the same key', async () => {
  const hash = await createPasswords(atOnce).hash('correct horse', holder)
  const [, algorithm, parameters, salt = '', key] = hash.split('$')
  assert.deepEqual([algorithm, parameters], ['scrypt', 'ln=15,r=8,p=3'])
  const bytes = Buffer.from(salt, 'base64')
  assert.equal(bytes.length, 16)
  const derived = scryptSync('correct horse', bytes, 32, { N: 2 ** 15, r: 8, p: 3, maxmem: 2 ** 26 })
  assert.equal(derived.toString('base64').replaceAll('=', ''), key)
})

test('the same password has another hash each time, and each of them knows it', async () => {
  const hashes = [await passwords.hash('correct horse', holder), await passwords.hash('correct horse', holder)]
  assert.notEqual(hashes[0], hashes[1])
  for (const hash of hashes) {
    assert.equal((await passwords.verify('correct horse', hash, holder))?.hash, hash)
    for (const wrong of ['', 'correct horsf', 'Correct horse', 'correct horse ', 'x'.repeat(5000)])
      assert.equal(await passwords.verify(wrong, hash, holder), undefined)
  }
})

test('a password is right however the keyboard composes its characters', async () => {
  const hash = await passwords.hash('cafe\u0301 cre\u0300me', holder)
  assert.ok(await passwords.verify('caf\u00e9 cr\u00e8me', hash, holder))
  assert.equal(await passwords.verify('cafe creme', hash, holder), undefined)
})

test('right and wrong passwords of any length take the same work: one derivation, with the parameters of the hash', async () => {
  const calls: Cost[] = []
  const counting = createPasswords(atOnce, (password, salt, cost) => {
    calls.push(cost)
    return cheap(password, salt, cost)
  })
  const hash = (await counting.hash('correct horse', holder)).replace('ln=15,r=8,p=3', 'ln=14,r=8,p=5') as PasswordHash
  calls.length = 0
  for (const [at, password] of ['correct horse', 'wrong horse', '', 'c'].entries()) {
    await counting.verify(password, hash, holder)
    assert.deepEqual(
      calls,
      Array.from({ length: at + 1 }, () => ({ ln: 14, r: 8, p: 5 })),
    )
  }
})

test('a damaged hash is an error, not a wrong password', async () => {
  const hash = await passwords.hash('correct horse', holder)
  for (const damaged of ['', 'x', hash.slice(0, -1), `${hash}A`, hash.replace('$scrypt', '$argon2id')])
    await assert.rejects(passwords.verify('correct horse', damaged as PasswordHash, holder), /damaged/)
})

test('hashing waits for its turn, and a refusal of it is passed on', async () => {
  const refused = createPasswords(
    () => Promise.reject(new Error('full')),
    () => assert.fail('it was hashed'),
  )
  await assert.rejects(refused.hash('correct horse', holder), /full/)
})
