import { create, type TestServer } from './server.ts'

/** Links that the operator has blocked: `removed` for abuse, `ordered` following a legal order. */
export async function createBlocked(server: TestServer, target: string): Promise<void> {
  for (const [alias, legal] of [
    ['removed', false],
    ['ordered', true],
  ] as const) {
    await create(server, { target, alias })
    await server.services.abuse.operations['block']?.({ subject: alias, reason: 'x', legal })
  }
}
