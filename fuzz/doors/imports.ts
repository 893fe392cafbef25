/** Trials of contact imports: files with many columns, long cells, open quotes and other encodings. */
import { damage, hostileText, hostileValue } from '../http/hostile.ts';
import { createRandom, type Random } from '../random.ts';
import type { Target } from '../target.ts';
import type { World } from '../world.ts';
import { httpTrial, type DoorTrial } from './measured.ts';

const SMALL = 100;

export function* importTrials(target: Target, world: World, seed: string): Iterable<() => DoorTrial> {
  const book = world.kept.contactBooks![0]!;
  const trial = (name: string, make: () => string | Buffer) => () =>
    httpTrial(target, {
      name: `import: ${name}`,
      group: `import ${name.replace(/ \d+$/, '')}`,
      method: 'POST',
      path: `/v1/contactBooks/${book}/imports`,
      headers: { authorization: `Bearer ${world.keys.full}`, 'content-type': 'text/csv' },
      body: Buffer.from(make()),
    });
  for (const [name, make] of Object.entries(LARGE)) yield trial(name, make);
  for (let no = 0; no < SMALL; no += 1) {
    const random = createRandom(`${seed} import ${no}`);
    yield trial(`random ${no}`, () => randomFile(no, random));
  }
}

const rows = (count: number, row: (no: number) => string) =>
  Array.from({ length: count }, (_, no) => row(no)).join('\n');

const LARGE: Record<string, () => string | Buffer> = {
  '20,000 rows': () => `Email,First name\n${rows(20_000, (no) => `i${no}@people.test,Ada`)}\n`,
  'the same address 100,000 times': () => `Email\n${'same@people.test\n'.repeat(100_000)}`,
  '100,000 rows without an address': () => `Email,Note\n${'no address,x\n'.repeat(100_000)}`,
  '5,000 columns': () =>
    `Email${rows(5_000, (no) => `,c${no}`).replaceAll('\n', '')}\na@people.test${',v'.repeat(5_000)}\n`,
  '200 columns of long names': () =>
    `Email${rows(200, (no) => `,${'c'.repeat(2_000)}${no}`).replaceAll('\n', '')}\na@people.test${',v'.repeat(200)}\n`,
  'a cell of 4 MB': () => `Email,Note\na@people.test,${'x'.repeat(4_000_000)}\n`,
  'a quote that is never closed': () => `Email,Note\na@people.test,"${'x\n'.repeat(1_000_000)}`,
  '4 MB of quotes': () => `Email,Note\na@people.test,${'"'.repeat(4_000_000)}\n`,
  '4 MB of commas': () => `Email\n${','.repeat(4_000_000)}`,
  '4 MB of line ends': () => `Email\n${'\n'.repeat(4_000_000)}`,
  'a header row alone': () => 'Email\n',
  'UTF-16': () => Buffer.from(`Email\n${rows(1_000, (no) => `u${no}@people.test`)}\n`, 'utf16le'),
  'many properties for each row': () =>
    `Email${rows(50, (no) => `,p${no}`).replaceAll('\n', '')}\n${rows(1_000, (no) => `p${no}@people.test${',value'.repeat(50)}`)}\n`,
};

function randomFile(no: number, random: Random): Buffer {
  const cell = () => {
    const value = random.chance(0.2) ? hostileText(random) : hostileValue(random);
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
    return random.chance(0.5) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const separator = random.pick([',', ';', '\t', '|']);
  const line = (first: string) => [first, ...Array.from({ length: random.int(6) }, cell)].join(separator);
  const lines = [line(random.pick(['Email', 'email address', cell()]))];
  for (let row = 0; row < random.int(40); row += 1)
    lines.push(line(random.chance(0.6) ? `r${no}-${row}@people.test` : cell()));
  const text = lines.join(random.pick(['\n', '\r\n', '\r']));
  return random.chance(0.2) ? damage(text, random) : Buffer.from(text);
}
