// Pages for everyone in one browser.
import '../abuse-pages.test.ts'
import '../bulk-page.test.ts'
import '../docs-page.test.ts'
import '../domains-page.test.ts'
import '../home.test.ts'
import '../language-switch.test.ts'
import '../my-links.test.ts'
import '../one-language.test.ts'
