// How links are made, changed and protected.
import '../bulk.test.ts'
import '../change-many.test.ts'
import '../limits.test.ts'
import '../links-command.test.ts'
import '../passwords.test.ts'
import '../protected-rules.test.ts'
import '../rules.test.ts'
