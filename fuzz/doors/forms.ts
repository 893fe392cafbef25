/** Trials of the public pages: sign-up forms, and links with broken tokens. */
import { hostileText, hostileValue } from '../http/hostile.ts';
import { createRandom, type Random } from '../random.ts';
import type { Target } from '../target.ts';
import type { World } from '../world.ts';
import { httpTrial, type DoorTrial } from './measured.ts';

const SUBMISSIONS = 400;
const FIELDS = ['email', 'firstName', 'city', 'opened-at', 'url', '__proto__', 'topic', 'action', ''];
const PAGES = ['/f/', '/unsubscribe/', '/confirm/', '/preferences/', '/a/', '/m/', '/files/'];
const TYPES = [
  'application/x-www-form-urlencoded',
  'application/json',
  'multipart/form-data; boundary=x',
  'text/plain',
];

export function* formTrials(target: Target, world: World, seed: string): Iterable<() => DoorTrial> {
  const form = `/f/${world.kept.forms![0]}`;
  for (let no = 0; no < SUBMISSIONS; no += 1) {
    const random = createRandom(`${seed} form ${no}`);
    yield () => {
      const isForm = random.chance(0.8);
      const path = isForm ? form : random.pick(PAGES) + token(random);
      const method = random.chance(isForm ? 0.9 : 0.5) ? 'POST' : 'GET';
      const type = random.chance(0.7) ? TYPES[0]! : random.pick(TYPES);
      return httpTrial(target, {
        name: `${method} ${path.slice(0, 40)} ${no}`,
        group: isForm ? 'sign-up form' : 'public page',
        method,
        base: '',
        path,
        headers: {
          'content-type': type,
          ...(random.chance(0.5) ? { accept: 'application/json' } : {}),
          ...(random.chance(0.2) ? { 'accept-language': hostileHeader(random) } : {}),
        },
        body: method === 'GET' ? null : Buffer.from(bodyOf(type, no, random)),
      });
    };
  }
}

function token(random: Random): string {
  const text = random.chance(0.5)
    ? hostileText(random).slice(0, 2_000)
    : JSON.stringify(hostileValue(random));
  return encodeURIComponent(text.slice(0, 2_000).toWellFormed());
}

function hostileHeader(random: Random): string {
  return hostileText(random)
    .replaceAll(/[^ -~]/g, '')
    .slice(0, 4_000);
}

function bodyOf(type: string, no: number, random: Random): string {
  const values: [string, string][] = [['email', `visitor${no}@people.test`]];
  const count = random.chance(0.1) ? 2_000 : random.int(6);
  for (let at = 0; at < count; at += 1) {
    const value = count > 10 ? 'x' : hostileValue(random);
    values.push([random.pick(FIELDS), typeof value === 'string' ? value : (JSON.stringify(value) ?? '')]);
  }
  if (type.startsWith('application/json')) return JSON.stringify(Object.fromEntries(values));
  if (type.startsWith('multipart/'))
    return `${values.map(([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join('')}--x--\r\n`;
  return values
    .map((pair) => pair.map((text) => encodeURIComponent(text.toWellFormed())).join('='))
    .join('&');
}
