// Prints the path of the Node that quirl runs on, for a shell: exec "$(node bin/print-node.js)" bin/quirl.js
import { requireNode } from './own-node.js'

console.log(requireNode())
