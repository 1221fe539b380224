// What `npm run dev` starts at each change: the bundle for browsers is built anew, then quirl serves.
await import('./client.js')
await import('../bin/quirl.js')
