// Pages of looks, phones and trials in one browser.
import '../bulk-look.test.ts'
import '../collection-webhook-page.test.ts'
import '../phones.test.ts'
import '../try.test.ts'
