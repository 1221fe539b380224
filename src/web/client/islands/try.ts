import { showLocalTimes } from '../local-times.ts'
import { startScan } from '../try-scan.ts'
import { startSize } from '../try-size.ts'

// On the page on which an owner tries a code: shows it in real millimetres, and says when a scan has arrived. The page works without it.

showLocalTimes(document)
const [size, scan] = ['#try-size', '#try-scan'].map((selector) => document.querySelector<HTMLElement>(selector))
if (size) startSize(size)
if (scan) startScan(scan)
