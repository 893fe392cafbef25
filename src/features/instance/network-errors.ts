/** Reduces the network errors of requests to servers of callers to a few kinds. */

export const NETWORK_ERRORS = [
  'timeout',
  'dns',
  'refused',
  'private_address',
  'tls',
  'reset',
  'protocol',
] as const;
export type NetworkError = (typeof NETWORK_ERRORS)[number];

const PATTERNS: [RegExp, NetworkError][] = [
  [/^PRIVATE_ADDRESS$/, 'private_address'],
  [/^(ENOTFOUND|EAI_\w+|ESERVFAIL|ENODATA)$/, 'dns'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'refused'],
  [/TIMEDOUT|TIMEOUT/, 'timeout'],
  [/^(EPROTO|ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH)/, 'tls'],
  [/^(HPE_|HTTPParserError|UND_ERR_(HEADERS_OVERFLOW|RES_))/, 'protocol'],
];

export function classifyNetworkError(error: unknown): NetworkError {
  const { code, name } = error as Error & { code?: string };
  return PATTERNS.find(([pattern]) => pattern.test(code ?? name))?.[1] ?? 'reset';
}
