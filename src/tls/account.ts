import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import type { Database } from '../db/database.ts'
import { AcmeError, AuthorityAway, beforeOrder } from './acme-error.ts'
import type { AcmeClient, Signer } from './acme.ts'
import { findAccount, insertAccount, updateAccount } from './acme-store.ts'

/** Runs `work` with the service's account at the authority. */
export type WithAccount = <T>(work: (signer: Required<Signer>) => Promise<T>) => Promise<T>

interface AccountDeps {
  db: Database
  client: AcmeClient
  directory: string
  /** The contact address of the account. */
  email: string | undefined
}

/** Generates an ECDSA key on P-256, PEM (PKCS #8). */
export function newKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'pkcs8', format: 'pem' })
}

/**
 * One account for all processes on the store. The key is stored before the account is registered: processes that start
 * at the same time use one key, for which the authority creates one account (RFC 8555, 7.3.1). When the authority no
 * longer knows the account, it is registered again.
 */
export function createAccount({ db, client, directory, email }: AccountDeps): WithAccount {
  async function open(): Promise<Required<Signer>> {
    let stored = await findAccount(db.write, directory)
    if (stored === undefined) {
      await insertAccount(db.write, directory, newKey())
      stored = await findAccount(db.write, directory)
    }
    const key = createPrivateKey(stored?.key ?? '')
    return { key, account: stored?.url ?? (await register(key)) }
  }

  async function register(key: Signer['key']): Promise<string> {
    const { newAccount } = await client.directory()
    const contact = email === undefined ? {} : { contact: [`mailto:${email}`] }
    const { location } = await client.post(newAccount, { key }, { termsOfServiceAgreed: true, ...contact })
    if (location === undefined) throw new AuthorityAway('malformed', 'the account has no URL')
    await updateAccount(db.write, directory, null, location)
    return location
  }

  return async (work) => {
    const signer = await beforeOrder(open())
    try {
      return await work(signer)
    } catch (error) {
      if (!(error instanceof AcmeError) || error.type !== 'accountDoesNotExist') throw error
      await updateAccount(db.write, directory, signer.account, null)
      return work(await beforeOrder(open()))
    }
  }
}
