// Builds dist/: `npm ci` runs it as "prepare", on whichever Node runs npm.
import { fileURLToPath } from 'node:url'
import { requireNode, runInstead } from '../bin/own-node.js'

const node = requireNode()
if (node === process.execPath) {
  await import('./client.js')
  await import('./packages.js')
  await import('./server.js')
  await import('./places.js')
} else runInstead(node, [fileURLToPath(import.meta.url)])
