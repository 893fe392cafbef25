/** Compares the output of a command with the output in its guide. */

/** Returns the first difference, or null. JSON may have more fields than the guide shows; `…` stands for anything. */
export function findDifference(shown: string, printed: string, language: string): string | null {
  if (language === 'json') return compareJson(JSON.parse(shown), JSON.parse(printed), '');
  return matches(shown.trim(), printed.trim()) ? null : `shown: ${shown}\nprinted: ${printed}`;
}

function compareJson(shown: unknown, printed: unknown, path: string): string | null {
  if (typeof shown === 'string' && shown.includes('…')) {
    const text = typeof printed === 'string' ? printed : JSON.stringify(printed);
    return matches(shown, text) ? null : `${path} is ${text}, shown as ${shown}`;
  }
  if (typeof shown === 'object' && shown !== null) {
    if (typeof printed !== 'object' || printed === null) return `${path} is ${JSON.stringify(printed)}`;
    if (Array.isArray(shown) && shown.length !== (printed as unknown[]).length) {
      return `${path} has ${(printed as unknown[]).length} entries, shown are ${shown.length}`;
    }
    for (const [name, value] of Object.entries(shown)) {
      const difference = compareJson(value, (printed as Record<string, unknown>)[name], `${path}/${name}`);
      if (difference) return difference;
    }
    return null;
  }
  return Object.is(shown, printed)
    ? null
    : `${path} is ${JSON.stringify(printed)}, shown as ${String(shown)}`;
}

function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^]*?')}$`).test(text);
}
