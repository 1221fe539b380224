import { Type } from '#typebox'
import { problems } from '../http/problem-schema.ts'

const time = (description: string) => Type.String({ description: `${description} ISO 8601, UTC.` })
const record = Type.Object(
  {
    type: Type.Enum(['CNAME', 'A', 'AAAA', 'TXT']),
    name: Type.String({ description: 'The name that has the record.' }),
    value: Type.String({ description: 'Where it points, or what it says.' }),
  },
  { title: 'DnsRecord' },
)

export const registrationBody = Type.Object({
  domain: Type.String({
    maxLength: 1000,
    description: 'A host name of yours, in Unicode or encoded.',
    examples: ['qr.example.com'],
  }),
  claim: Type.Optional(
    Type.Boolean({
      description:
        'Whether to claim the name, also one that is registered: the answer has a token of its own and a TXT record. ' +
        'Once that stands in the DNS, the token is that of the name, and the earlier one ends.',
    }),
  ),
})

const fields = {
  domain: Type.String({ description: 'The host name: lower case, IDNA-encoded.' }),
  status: Type.Enum(['pending', 'active', 'misconfigured'], {
    description:
      '`pending` until the name leads here, `active` while it does, `misconfigured` when it no longer does. ' +
      'Forgotten after 7 days as pending or 30 as misconfigured.',
  }),
  records: Type.Array(record, {
    description: 'The records to set; none while the service has no public name.',
  }),
  alternatives: Type.Array(record, {
    description: 'For a domain itself, which can have no CNAME: its DNS provider flattens one, or these are set.',
  }),
  fault: Type.Union([
    Type.Object({
      code: Type.String({ description: 'A stable word.', examples: ['nxdomain'] }),
      detail: Type.String({ description: 'Why the name does not lead here, as the last look-up has found it.' }),
    }),
    Type.Null(),
  ]),
  checked_at: Type.Union([time('When DNS was asked last.'), Type.Null()]),
  claimed_at: Type.Union([time('When a claim to the name was proven last.'), Type.Null()]),
  created_at: time('When the name was registered.'),
  expires_at: Type.Union([time('When the name is forgotten if nothing changes and nobody claims it.'), Type.Null()]),
}

/** A domain as everyone may see it. */
const domainBody = Type.Object(fields, { title: 'Domain' })

/** A domain as its registration answers it. */
const registeredBody = Type.Object(
  {
    ...fields,
    token: Type.String({ description: 'The only key to remove the domain with; told this once.' }),
    claim_expires_at: Type.Optional(time('Of a claim: until when its TXT record is looked for.')),
  },
  { title: 'RegisteredDomain' },
)

const deletedBody = Type.Object({ deleted: Type.Literal(true), domain: Type.String() })

const tags = ['Domains']
const params = Type.Object({
  domain: Type.String({ description: 'The host name.', examples: ['qr.example.com'] }),
})

const json = (description: string, schema: object) => ({ description, content: { 'application/json': { schema } } })

export const registrationSchema = {
  summary: 'Register a custom domain',
  operationId: 'registerDomain',
  description:
    'No credential is needed: whoever sets the DNS records decides. The name is active once it leads here, and ' +
    'its certificate is got on the first visit. Whoever controls the DNS of a name can take it back with `claim`.',
  tags,
  body: registrationBody,
  response: {
    201: json('The name is pending until its record is found; a claim until its TXT record is.', registeredBody),
    200: json('The name was registered before; its token is not told again.', domainBody),
    ...problems(
      'rate_limited',
      'malformed_json',
      'invalid_request',
      'too_many_domains',
      'body_too_large',
      'unsupported_media_type',
    ),
  },
}

export const statusSchema = {
  summary: 'See the status of a domain',
  operationId: 'readDomain',
  description:
    'A name that is not active, or that someone claims, is looked up in DNS first, at most once in 10 seconds.',
  tags,
  params,
  response: { 200: json('The domain as it stands.', domainBody), ...problems('unknown_domain') },
}

export const removalSchema = {
  summary: 'Remove a domain',
  operationId: 'removeDomain',
  tags,
  security: [{ token: [] }],
  params,
  response: { 200: json('The domain is gone.', deletedBody), ...problems('unknown_domain') },
}
