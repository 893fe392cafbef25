/** A host as in a URL, without the brackets around an IPv6 address. */
export function bareHost(host: string): string {
  return host.replaceAll(/^\[|\]$/g, '');
}
