/**
 * For a flood of mail from one place or to one address, each message of which asks the same: what was asked many times
 * within a second is not asked again in that second. Who asks seldom always gets a fresh answer.
 */
export type Remember<Answer> = (key: string, ask: () => Promise<Answer>) => Promise<Answer>;

const WINDOW_MS = 1_000;
const ASKED_ANYWAY = 50;
const MAX_KEYS = 5_000;

interface Asked<Answer> {
  sinceMs: number;
  times: number;
  answer: Promise<Answer>;
}

export function createMemory<Answer>(now: () => number = Date.now): Remember<Answer> {
  const asked = new Map<string, Asked<Answer>>();

  return (key, ask) => {
    let question = asked.get(key);
    if (question && now() - question.sinceMs < WINDOW_MS) {
      question.times += 1;
      if (question.times > ASKED_ANYWAY) return question.answer;
      question.answer = ask();
    } else {
      asked.delete(key);
      // The windows of those in front began first.
      if (asked.size >= MAX_KEYS) asked.delete(asked.keys().next().value!);
      question = { sinceMs: now(), times: 1, answer: ask() };
      asked.set(key, question);
    }
    return question.answer;
  };
}
