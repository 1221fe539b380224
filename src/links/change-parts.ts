import type { FastifyReply } from 'fastify'
import type { Origin } from '../http/origin.ts'
import { warnsOfTrimmed } from './trimmed-warning.ts'
import type { ManageRequest } from './access.ts'
import { refundFailed, type Charge } from './charged.ts'
import type { CreationLimits } from './create.ts'
import type { OwnedLink } from './design.ts'
import type { Links } from './open.ts'
import type { PasswordHash, Passwords } from './password/password.ts'
import type { Holder } from '../lib/holder.ts'

/** What these checks need of the rest of the program. */
export interface PartsNeeds {
  links: Pick<Links, 'change' | 'checkDesign' | 'checkWebhook' | 'passwords'>
  origin: Pick<Origin, 'of'>
  limits: CreationLimits
}

/** Changes a link, with what belongs to other features, which is charged. */
export async function changeCharged(
  { links, origin, limits }: PartsNeeds,
  request: ManageRequest,
  reply: FastifyReply,
  owned: OwnedLink,
): Promise<OwnedLink> {
  const { body, headers } = request
  const design = await links.checkDesign(owned, body, {
    origin: origin.of(request),
    holder: limits.holderOf(request),
    charge: () => limits.charge(request, reply, 'qr'),
  })
  const charge = () => limits.charge(request, reply, 'links')
  const holder = { ...limits.holderOf(request), about: owned.link.id }
  const hashPassword = (password: string) => hashCharged(links.passwords, charge, holder, password)
  return refundFailed(charge, async (chargeOnce) => {
    const onTrimmed = warnsOfTrimmed(request, reply)
    const webhook = await links.checkWebhook(owned, body, chargeOnce, onTrimmed)
    return links.change(owned, body, {
      charge: (units) => limits.charge(request, reply, 'changes', units),
      holder,
      ifMatch: headers['if-match'],
      design,
      webhook,
      hashPassword,
      onTrimmed,
    })
  })
}

/** Charged as a creation: hashing a password takes longer than any other change. */
export async function hashCharged(
  passwords: Pick<Passwords, 'hash'>,
  charge: Charge,
  holder: Holder,
  password: string,
): Promise<PasswordHash> {
  const refund = await charge()
  try {
    return await passwords.hash(password, holder)
  } catch (error) {
    await refund()
    throw error
  }
}
