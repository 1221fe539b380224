// Domains, and what the service warns of.
import '../domain-proofs.test.ts'
import '../domain-shares.test.ts'
import '../domains.test.ts'
import '../local-address.test.ts'
import '../notices.test.ts'
import '../warnings.test.ts'
import '../webhook-shares.test.ts'
