import type { FastifyReply } from 'fastify'
import type { Origin } from '../http/origin.ts'
import type { ManageRequest } from './access.ts'
import type { Charge } from './charged.ts'
import type { CreationLimits } from './create.ts'
import type { OwnedLink } from './design.ts'
import type { Links } from './open.ts'
import type { PasswordHash, Passwords } from './password/password.ts'

/** What these checks need of the rest of the program. */
export interface PartsNeeds {
  links: Pick<Links, 'checkDesign' | 'checkWebhook' | 'passwords'>
  origin: Pick<Origin, 'of'>
  limits: CreationLimits
}

/** Checks what belongs to other features, and charges it. */
export async function checkParts(needs: PartsNeeds, request: ManageRequest, reply: FastifyReply, owned: OwnedLink) {
  const { links, origin, limits } = needs
  const { body } = request
  const design = await links.checkDesign(owned, body, {
    origin: origin.of(request),
    client: limits.clientOf(request),
    charge: () => limits.charge(request, reply, 'qr'),
  })
  const charge = () => limits.charge(request, reply, 'links')
  const webhook = await links.checkWebhook(owned, body, charge)
  const hashPassword = (password: string) => hashCharged(links.passwords, charge, limits.clientOf(request), password)
  return { design, webhook, hashPassword }
}

/** Charged as a creation: hashing a password takes longer than any other change. */
export async function hashCharged(
  passwords: Pick<Passwords, 'hash'>,
  charge: Charge,
  client: string,
  password: string,
): Promise<PasswordHash> {
  const refund = await charge()
  try {
    return await passwords.hash(password, client)
  } catch (error) {
    await refund()
    throw error
  }
}
