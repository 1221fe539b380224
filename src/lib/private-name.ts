/** Endings that no public name has; a test compares them with the list of top-level domains, which grows. */
export const reservedEndings: ReadonlySet<string> = new Set(
  [
    // RFC 6761, 6762, 7686, 8375 (home.arpa), 9476, and names that ICANN does not delegate.
    'localhost local test invalid onion alt arpa internal home corp mail',
    // Names of home and company networks (RFC 6762, appendix G, among others).
    'lan localdomain localnet intranet intra private priv domain workgroup dhcp',
    // Internal names of Kubernetes, Consul, Docker, OpenStack, LXD and Incus.
    'svc kubernetes consul docker openstacklocal novalocal lxd incus',
  ].flatMap((names) => names.split(' ')),
)

/** Whether no public name is like this one: it has a single label, or an ending of machines and private networks. */
export function isPrivateName(name: string): boolean {
  return !name.includes('.') || reservedEndings.has(name.slice(name.lastIndexOf('.') + 1))
}
