// Some tests again, on two nodes behind a balancer. `npm run test:stores` runs more of them.
process.env['QUIRL_TEST_STORE'] = 'two-nodes'
process.env['FUZZ_REQUESTS'] = '300'
await import('../bad-input.test.ts')
await import('../history.test.ts')
