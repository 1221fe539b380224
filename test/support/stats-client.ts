import { manage, post, type Created, type TestServer } from './server.ts'

/** The ways in which a test asks for the statistics of a link. @template Stats what it reads of them */
export function statsClient<Stats>(server: Pick<TestServer, 'url'>, link: Pick<Created, 'token'>) {
  const ask = (query: string) => fetch(manage(server, link, `/stats?${query}`))
  return {
    stats: async (query: string) => (await (await ask(query)).json()) as Stats,
    refusal: async (query: string) => refusalOf(await ask(query)),
    ofMany: (body: object) => post(`${server.url}/api/stats`, { tokens: [link.token], ...body }),
    /** Shares them. @returns the token of the share */
    share: async (options: object) =>
      ((await (await post(manage(server, link, '/share'), options)).json()) as { share_token: string }).share_token,
  }
}

interface Problem {
  code: string
  errors?: { pointer: string; detail: string }[]
}

/** The status, the code, and where and what is wrong. */
export async function refusalOf(response: Response): Promise<(number | string)[]> {
  const { code, errors = [] } = (await response.json()) as Problem
  return [response.status, code, ...errors.map(({ pointer, detail }) => `${pointer} ${detail}`)]
}
