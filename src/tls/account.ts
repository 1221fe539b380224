import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import type { Database } from '../db/database.ts'
import { AcmeError, type AcmeClient, type Signer } from './acme.ts'
import { findAccount, insertAccount, updateAccount } from './store.ts'

/** Runs `work` as the holder of our account with the authority. */
export type WithAccount = <T>(work: (signer: Required<Signer>) => Promise<T>) => Promise<T>

interface AccountDeps {
  db: Database
  client: AcmeClient
  directory: string
  /** Where the authority may write to; an e-mail address. */
  email: string | undefined
}

/** A new ECDSA key on P-256, PEM (PKCS #8). */
export function newKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'pkcs8', format: 'pem' })
}

/**
 * Keeps one account for all processes on the store. The key is kept before the account is made, so that processes that
 * start at once use one key, for which the authority makes one account (RFC 8555, 7.3.1). An account that the authority
 * no longer knows is made anew.
 */
export function createAccount({ db, client, directory, email }: AccountDeps): WithAccount {
  async function open(): Promise<Required<Signer>> {
    let kept = await findAccount(db.write, directory)
    if (kept === undefined) {
      await insertAccount(db.write, directory, newKey())
      kept = await findAccount(db.write, directory)
    }
    const key = createPrivateKey(kept?.key ?? '')
    return { key, account: kept?.url ?? (await register(key)) }
  }

  async function register(key: Signer['key']): Promise<string> {
    const { newAccount } = await client.directory()
    const contact = email === undefined ? {} : { contact: [`mailto:${email}`] }
    const { location } = await client.post(newAccount, { key }, { termsOfServiceAgreed: true, ...contact })
    if (location === undefined) throw new AcmeError('malformed', 'the account has no address')
    await updateAccount(db.write, directory, null, location)
    return location
  }

  return async (work) => {
    const signer = await open()
    try {
      return await work(signer)
    } catch (error) {
      if (!(error instanceof AcmeError) || error.type !== 'accountDoesNotExist') throw error
      await updateAccount(db.write, directory, signer.account, null)
      return work(await open())
    }
  }
}
