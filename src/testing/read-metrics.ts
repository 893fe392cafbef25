/**
 * Reads /metrics and checks its format: every sample belongs to a metric that was declared before it, with help and
 * type.
 */
export type ReadMetrics = Map<string, number>;

const SAMPLE =
  /^([a-zA-Z_:][\w:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\]|\\.)*",?)*\})? (-?[\d.e+-]+|NaN|Nan|[+-]Inf)$/;

export async function readMetrics(url: string): Promise<ReadMetrics> {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}.`);
  return parseMetrics(await response.text());
}

/** Returns the names of the metrics, including those that have no series yet. */
export async function readMetricNames(url: string): Promise<string[]> {
  const declared = (await (await fetch(url)).text()).matchAll(/^# TYPE (\S+) (\S+)$/gm);
  return [...declared].map(([, name]) => name!);
}

/** Returns the values by name and labels, as they are written. */
function parseMetrics(text: string): ReadMetrics {
  const types = new Map<string, string>();
  const values: ReadMetrics = new Map();
  for (const line of text.split('\n')) {
    const [hash, word, name = '', type = ''] = line.split(' ');
    if (line === '' || (hash === '#' && word === 'HELP')) continue;
    if (hash === '#' && word === 'TYPE') {
      if (types.has(name)) throw new Error(`${name} is declared twice.`);
      types.set(name, type);
      continue;
    }
    const match = SAMPLE.exec(line);
    if (!match) throw new Error(`Not a valid line: ${line}`);
    const own = match[1]!;
    const base = types.has(own) ? own : own.replace(/_(bucket|sum|count)$/, '');
    const kind = types.get(base);
    if (!kind) throw new Error(`${own} has no type.`);
    if ((kind === 'counter') !== own.endsWith('_total') && kind !== 'histogram' && kind !== 'summary')
      throw new Error(`${own} is a ${kind}.`);
    const series = `${own}${match[2] ?? ''}`;
    if (values.has(series)) throw new Error(`${series} occurs twice.`);
    values.set(series, Number(match[3]));
  }
  return values;
}
