// Runs the Node that quirl runs on with the given arguments, whichever Node runs this: node build/node.js test/run.ts
import { requireNode, runInstead } from '../bin/own-node.js'

runInstead(requireNode(), process.argv.slice(2))
