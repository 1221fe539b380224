/** The body of a response, as far as tests read it. */
export interface Body {
  ignored?: string[]
  errors?: { pointer: string; detail: string }[]
  results?: { code?: string; ignored?: string[]; error?: { code: string; errors: { pointer: string }[] } }[]
  [name: string]: unknown
}

/** A response with what it says of the request. */
export interface Answer extends Body {
  status: number
  header: string | null
  applied: string | null
}

/** Reads a response. */
export async function read(sent: Promise<Response>): Promise<Answer> {
  const response = await sent
  const { status, headers } = response
  const text = await response.text()
  const body = /json/.test(headers.get('content-type') ?? '') ? (JSON.parse(text) as Body) : {}
  return { ...body, status, header: headers.get('quirl-ignored'), applied: headers.get('preference-applied') }
}

/** The pointers of the errors of a response. */
export const pointersOf = ({ errors = [] }: Answer) => errors.map(({ pointer }) => pointer)
