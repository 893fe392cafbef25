/** What publishing does to the people inside, in sentences. */
import type { PublishImpact } from '../../../../src/features/automations/definition/automations.schema.ts';
import { automationPublishingTexts } from '../../../texts/en/automation-publishing.ts';

const t = automationPublishingTexts.publishing;

export type RunChoice = keyof typeof t.runsOf;

/** `nameOf` gives the title of a step. One that was removed has only its key. */
export function impactSentences(
  { people, byStep, emailsNext24Hours }: PublishImpact,
  choice: RunChoice,
  nameOf: (key: string) => string,
): string[] {
  if (people === 0) return [t.nobody];
  const moves = byStep.map(({ key, waiting, becomes, to }) => {
    if (becomes === 'same') return t.same(waiting, nameOf(key));
    return becomes === 'moved' && to !== null
      ? t.moved(waiting, nameOf(key), nameOf(to))
      : t.ended(waiting, nameOf(key));
  });
  if (choice === 'end') return [t.inside(people)];
  return [t.inside(people), ...(choice === 'move' ? moves : []), t.emails(emailsNext24Hours)];
}
