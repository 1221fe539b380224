import ipaddr from 'ipaddr.js'
import { isLoopback, isUnspecified } from '../lib/host.ts'
import { isPublicAddress } from '../lib/public-address.ts'
import { warning, type Result } from './finding.ts'
import type { World } from './network-checks.ts'
import type { CheckedSettings } from './settings.ts'

/** What this check looks at. */
interface ExposureSubject extends World {
  settings: CheckedSettings
}

/** Warns where anybody on the internet may create links, and nothing compares their destinations with a list. */
export async function checkExposure(subject: ExposureSubject): Promise<Result[]> {
  const { create, hasLists, listsOff, baseUrl } = subject.settings
  if (create !== 'open' || hasLists) return []
  if (listsOff) {
    const text = `ABUSE_FEEDS=off, while anybody may create links at ${baseUrl}: nothing refuses malware and phishing`
    return [warning(`${text}; set ABUSE_FEEDS=recommended, or CREATE=token`)]
  }
  const address = await publicAddress(subject)
  if (address === undefined) return []
  const text = `anybody may create links at ${address}, and no list of malware and phishing is set`
  return [warning(`${text}: set ABUSE_FEEDS, or CREATE=token`)]
}

/** A public address of the service: that of `BASE_URL`, or without it one of this machine on which it listens. */
async function publicAddress({ settings, lookup, networkInterfaces }: ExposureSubject): Promise<string | undefined> {
  const { baseUrl, host: listening } = settings
  if (baseUrl === null) {
    const all = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address))
    const own = isUnspecified(listening.includes(':') ? `[${listening}]` : listening) ? all : [listening]
    return own.find(isPublic)
  }
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '')
  if (isLoopback(host)) return undefined
  // That a name does not resolve is another check's finding.
  const found = ipaddr.isValid(host) ? [host] : await lookup(host).catch(() => [])
  return found.some(isPublic) ? host : undefined
}

function isPublic(address: string): boolean {
  return ipaddr.isValid(address) && isPublicAddress(ipaddr.process(address))
}
