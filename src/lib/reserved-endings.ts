/** Endings that no public name has; a test holds them to the list of top-level domains, which grows. */
export const reservedEndings: ReadonlySet<string> = new Set(
  [
    // RFC 6761, 6762, 7686, 8375 (home.arpa), 9476, and what ICANN keeps from being given out.
    'localhost local test invalid onion alt arpa internal home corp mail',
    // What home routers and companies call their networks (RFC 6762, appendix G, among others).
    'lan localdomain localnet intranet intra private priv domain workgroup dhcp',
    // What the software that runs services calls its own: Kubernetes, Consul, Docker, OpenStack, LXD and Incus.
    'svc kubernetes consul docker openstacklocal novalocal lxd incus',
  ].flatMap((names) => names.split(' ')),
)
