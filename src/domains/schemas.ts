import { Type } from '#typebox'
import { problems } from '../http/problem-schema.ts'

const time = (description: string) => Type.String({ description: `${description} ISO 8601, UTC.` })
const record = Type.Object(
  {
    type: Type.Enum(['CNAME', 'A', 'AAAA', 'TXT']),
    name: Type.String({ description: 'The name of the record.' }),
    value: Type.String({ description: 'The value of the record.' }),
  },
  { title: 'DnsRecord' },
)

const finding = Type.Object(
  {
    code: Type.String({ description: 'That of the fault.', examples: ['points_elsewhere'] }),
    record: Type.Object({
      type: Type.Enum(['CNAME', 'A', 'AAAA']),
      name: Type.String({ description: 'The name of the record.', examples: ['qr.example.com'] }),
    }),
    expected: Type.Array(Type.String(), {
      description: 'The values that it may have; empty when it must be removed.',
      examples: [['go.example.org']],
    }),
    found: Type.Array(Type.String(), {
      description: 'The values in the DNS, at most five; empty when there is none, or its servers did not respond.',
      examples: [['203.0.113.9']],
    }),
  },
  { title: 'DnsFinding' },
)

export const registrationBody = Type.Object({
  domain: Type.String({
    maxLength: 1000,
    description: 'The host name to register, in Unicode or IDNA-encoded.',
    examples: ['qr.example.com'],
  }),
  claim: Type.Optional(
    Type.Boolean({
      description:
        'Whether to claim the name, which may already be registered: the response has a new token and a TXT record. ' +
        'Once that record is in the DNS, the new token replaces the earlier one.',
    }),
  ),
})

const certificate = Type.Object(
  {
    expires_at: Type.Union([time('When it expires.'), Type.Null()], { description: 'Null until there is one.' }),
    waits_for: Type.Union([Type.Enum(['domain', 'network', 'all', 'turn']), Type.Null()], {
      description:
        'What the first one waits for: as many as may be were ordered in three hours under the registrable domain (names that a TXT ' +
        'record has proven do not wait for others), for the network that visits the name, or of all; or `turn`.',
    }),
    fault: Type.Union([Type.String(), Type.Null()], {
      description: 'Why the last order failed, or why none is placed.',
    }),
  },
  { title: 'DomainCertificate' },
)

const fields = {
  domain: Type.String({ description: 'The host name: lower case, IDNA-encoded.' }),
  status: Type.Enum(['pending', 'active', 'misconfigured'], {
    description:
      '`pending` until the name points here, `active` while it does, `misconfigured` when it no longer does. ' +
      'Deleted after 7 days as pending or 30 as misconfigured.',
  }),
  narrowed: Type.Boolean({
    description:
      'Whether it serves short links only. One that led here before its registration serves pages until `proof` is in its DNS.',
  }),
  proof: Type.Union([record, Type.Null()], {
    description:
      'The record that proves this registration, and narrows the name. Set it only if the registration is yours.',
  }),
  records: Type.Array(record, {
    description: 'The records to set; empty while the service has no public name.',
  }),
  alternatives: Type.Array(record, {
    description: 'For an apex domain, which cannot have a CNAME: set these unless the DNS provider flattens CNAMEs.',
  }),
  fault: Type.Union([
    Type.Object({
      code: Type.String({ description: 'A stable code.', examples: ['nxdomain'] }),
      detail: Type.String({ description: 'Why the name does not point here, according to the last check.' }),
    }),
    Type.Null(),
  ]),
  findings: Type.Array(finding, {
    description:
      'The records that are not as they must be, according to the last check; empty while the name points here, and ' +
      'where no record of the owner is at fault.',
  }),
  checked_at: Type.Union([time('When the DNS was last checked.'), Type.Null()]),
  claimed_at: Type.Union([time('When a claim to the name was last proven.'), Type.Null()]),
  created_at: time('When the name was registered.'),
  certificate: Type.Optional(
    Type.Union([certificate, Type.Null()], {
      description: 'In the status of a domain; null where the service obtains none itself.',
    }),
  ),
  expires_at: Type.Union([
    time('When the name will be deleted unless its DNS changes or someone claims it.'),
    Type.Null(),
  ]),
}

/** The public view of a domain. */
const domainBody = Type.Object(fields, { title: 'Domain' })

/** The response to a registration. */
const registeredBody = Type.Object(
  {
    ...fields,
    token: Type.String({ description: 'The token that removes the domain; it is only returned once.' }),
    claim_expires_at: Type.Optional(time('When the claim expires unless its TXT record is set.')),
  },
  { title: 'RegisteredDomain' },
)

const deletedBody = Type.Object({ deleted: Type.Literal(true), domain: Type.String() }, { title: 'DeletedDomain' })

const tags = ['Domains']
const params = Type.Object({
  domain: Type.String({ description: 'The host name.', examples: ['qr.example.com'] }),
})

const json = (description: string, schema: object) => ({ description, content: { 'application/json': { schema } } })

export const registrationSchema = {
  summary: 'Register a custom domain',
  operationId: 'registerDomain',
  description:
    'No credential is needed, unless creation needs the access code of this service: control of the DNS decides. The name is active once it points here, and its ' +
    'certificate is issued on the first visit. The owner of the DNS can take over a registered name with `claim`.',
  tags,
  security: [{}, { creationKey: [] }],
  body: registrationBody,
  response: {
    201: json(
      'The name is pending until its DNS record is found, a claim until its TXT record is found.',
      registeredBody,
    ),
    200: json('The name was already registered; its token is not returned again.', domainBody),
    ...problems('too_many_domains', 'too_many_waiting'),
  },
}

export const statusSchema = {
  summary: 'Get the status of a domain',
  operationId: 'readDomain',
  description:
    'The DNS of a name that is not active, or that someone claims, is checked first, at most every 10 seconds.',
  tags,
  params,
  response: { 200: json('The domain.', domainBody), ...problems('unknown_domain') },
}

export const removalSchema = {
  summary: 'Remove a domain',
  operationId: 'removeDomain',
  tags,
  security: [{ token: [] }],
  params,
  response: { 200: json('The domain was removed.', deletedBody), ...problems('unknown_domain') },
}
