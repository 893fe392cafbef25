/** Links whose text names another host than the one that they lead to. */
const HOST_IN_TEXT = /^\s*(?:https?:\/\/)?((?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24})(?:[/:?#]\S*)?\s*$/i;

/** Returns both hosts if they belong to different sites, or null. */
export function findMismatch(text: string, href: string): { shown: string; real: string } | null {
  const shown = HOST_IN_TEXT.exec(text.slice(0, 500))?.[1]?.toLowerCase();
  if (!shown || !URL.canParse(href)) return null;
  const { protocol, hostname: real } = new URL(href);
  if (!/^https?:$/.test(protocol) || siteOf(shown) === siteOf(real)) return null;
  return { shown, real };
}

/** The last two labels, or three below a short second level such as co.uk. */
function siteOf(host: string): string {
  const labels = host.toLowerCase().split('.');
  const isSecondLevel = labels.length > 2 && labels.at(-2)!.length <= 3 && labels.at(-1)!.length === 2;
  return labels.slice(isSecondLevel ? -3 : -2).join('.');
}
