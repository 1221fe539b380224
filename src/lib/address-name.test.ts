import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressName } from './address-name.ts'

test('an address is named by its host and path, as people read them', () => {
  const names: [address: string, name: string][] = [
    ['https://www.example.com/', 'example.com'],
    ['https://example.com/menu?table=4#today', 'example.com/menu'],
    ['https://example.com:8443/k%C3%A4se/', 'example.com:8443/käse/'],
    ['https://example.com/%E2%80%AEgpj.exe', 'example.com/%E2%80%AEgpj.exe'],
    ['https://example.com/100%', 'example.com/100%'],
    ['example', 'example'],
  ]
  for (const [address, name] of names) assert.equal(addressName(address), name)
})
