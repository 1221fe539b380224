import type { FastifyReply } from 'fastify'
import type { Origin } from '../http/origin.ts'
import type { ManageRequest } from './access.ts'
import type { CreationLimits } from './create.ts'
import type { OwnedLink } from './design.ts'
import type { Links } from './open.ts'
import type { PasswordHash } from './password.ts'

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
  const webhook = await links.checkWebhook(owned, body, () => limits.charge(request, reply, 'links'))
  const hashPassword = (password: string) => setPassword(needs, request, reply, password)
  return { design, webhook, hashPassword }
}

/** Charged as a creation: hashing a password takes longer than any other change. */
async function setPassword(
  { links, limits }: PartsNeeds,
  request: ManageRequest,
  reply: FastifyReply,
  password: string,
): Promise<PasswordHash> {
  const refund = limits.charge(request, reply, 'links')
  try {
    return await links.passwords.hash(password, limits.clientOf(request))
  } catch (error) {
    refund()
    throw error
  }
}
