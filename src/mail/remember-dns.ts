/**
 * A resolver for many messages from the same place, each of which asks for the same records: what was asked many
 * times within a second is not asked again in that second. Who asks seldom always gets a fresh answer.
 */
import type { Dns, DnsAnswer } from './dns.ts';

const WINDOW_MS = 1_000;
const ASKED_ANYWAY = 50;
const MAX_NAMES = 5_000;

interface Asked {
  sinceMs: number;
  times: number;
  answer: Promise<DnsAnswer<unknown>>;
}

export function rememberDns(dns: Dns, now: () => number = Date.now): Dns {
  const asked = new Map<string, Asked>();

  function remember<Item>(
    type: string,
    ask: (name: string) => Promise<DnsAnswer<Item>>,
  ): (name: string) => Promise<DnsAnswer<Item>> {
    return (name) => {
      const key = `${type} ${name.toLowerCase()}`;
      let question = asked.get(key);
      if (question && now() - question.sinceMs < WINDOW_MS) {
        question.times += 1;
        if (question.times > ASKED_ANYWAY) return question.answer as Promise<DnsAnswer<Item>>;
      } else {
        asked.delete(key);
        // The windows of those in front began first.
        if (asked.size >= MAX_NAMES) asked.delete(asked.keys().next().value!);
        question = undefined;
      }
      const answer = ask(name);
      if (question) question.answer = answer;
      else asked.set(key, { sinceMs: now(), times: 1, answer });
      return answer;
    };
  }

  return {
    txt: remember('TXT', dns.txt),
    mx: remember('MX', dns.mx),
    a: remember('A', dns.a),
    aaaa: remember('AAAA', dns.aaaa),
    cname: remember('CNAME', dns.cname),
    host: dns.host,
  };
}
