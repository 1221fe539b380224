import type { FastifyReply } from 'fastify'
import type { ManageRequest } from './access.ts'
import type { OwnedLink } from './design.ts'
import type { PasswordHash } from './password.ts'
import type { LinkRoutesNeeds } from './routes.ts'

/** Checks what belongs to other features, and charges it. */
export async function checkParts(
  needs: LinkRoutesNeeds,
  request: ManageRequest,
  reply: FastifyReply,
  owned: OwnedLink,
) {
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
  { links, limits }: LinkRoutesNeeds,
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
