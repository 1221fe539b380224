// `npm run dev` starts this after each change: it rebuilds the bundle for browsers, then starts quirl.
await import('./client.js')
await import('../bin/quirl.js')
