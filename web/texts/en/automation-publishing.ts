import { number, plural } from './number.ts';

const people = (count: number) => plural(count, { one: '1 person', other: `${number(count)} people` });

export const automationPublishingTexts = {
  publishing: {
    activateTitle: 'Activate this automation?',
    publishTitle: 'Publish the changes?',
    errors: (count: number) =>
      plural(count, { one: '1 thing must be corrected', other: `${number(count)} things must be corrected` }),
    warnings: 'You should know',
    fine: 'The check found nothing wrong.',
    show: 'Show',
    enters: {
      event: (start: string) =>
        `From now on: ${start.charAt(0).toLowerCase()}${start.slice(1)}, the person enters.`,
      book: (name: string) =>
        `Only people of the contact book “${name}” enter. Who is there already does not.`,
    },
    nobody: 'Nobody is inside, so publishing moves nobody.',
    inside: (count: number) => `${people(count)} ${plural(count, { one: 'is', other: 'are' })} inside.`,
    same: (count: number, step: string) =>
      `${people(count)} ${plural(count, { one: 'stays', other: 'stay' })} at “${step}”.`,
    moved: (count: number, from: string, to: string) =>
      `${people(count)} ${plural(count, { one: 'goes', other: 'go' })} from “${from}” to “${to}”.`,
    ended: (count: number, step: string) =>
      `${people(count)} ${plural(count, { one: 'leaves', other: 'leave' })}, because “${step}” is gone and nothing follows it.`,
    emails: (count: number) =>
      count === 0
        ? 'No email leaves within 24 hours.'
        : `About ${plural(count, { one: '1 email leaves', other: `${number(count)} emails leave` })} within 24 hours.`,
    runs: 'People inside',
    runsOf: {
      finish: 'finish on the version that they began with',
      move: 'move to the new version',
      end: 'leave the automation now',
    },
    activated: 'Activated',
    published: 'Published',
  },
  resuming: {
    title: 'Resume this automation?',
    text: 'Choose what happens to people whose time came while it was paused.',
    label: 'Who was waiting',
    shift: 'gets the time that was left',
    now: 'moves on now, if the time is over',
  },
  versionList: {
    title: 'Versions',
    lead: 'What was live, newest first. Restoring makes it the draft.',
    version: (no: number) => `Version ${no}`,
    live: 'Live',
    steps: (count: number) => plural(count, { one: '1 step', other: `${count} steps` }),
    restore: 'Restore',
    restored: 'Restored as the draft',
    none: 'Nothing was live yet.',
  },
  play: {
    open: 'Try it',
    title: 'Try it',
    lead: 'Shows the way of one person through the steps. Nothing is sent or changed.',
    person: 'Person',
    event: 'Data of the event (JSON)',
    start: 'Play',
    again: 'Play again',
    next: 'Next step',
    stop: 'Pause',
    way: (title: string) => `What happens at “${title}”`,
    assume: 'Assume something else',
    asKnown: 'What is known of the person',
    end: (reason: string) => `The end: ${reason}`,
    ends: { done: 'all steps are done', waiting: 'still waiting', too_long: 'too many steps' } as Record<
      string,
      string
    >,
    email: 'Show the email',
    nobody: 'Choose a person of the contact book.',
  },
};
