// Preloaded by `npm test`. The runner follows every promise, to attribute an error after the end of a test to that test, which
// takes a tenth of the CPU time. Without, an unhandled rejection after the end of a test fails the file instead.
import hooks from 'node:async_hooks'

const { createHook } = hooks
hooks.createHook = (options) => createHook({ ...options, trackPromises: false })
