/** What the checks of a sender mean. Mail that this instance delivers to itself is not checked: its sender is known. */
export function verdictOf(authentication: { dmarc: string } | null): 'pass' | 'fail' | 'none' {
  if (!authentication || authentication.dmarc === 'pass') return 'pass';
  return ['fail', 'permerror'].includes(authentication.dmarc) ? 'fail' : 'none';
}
