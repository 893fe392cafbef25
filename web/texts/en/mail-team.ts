import { plural } from './number.ts';

/** The texts of webmail for people who share a mailbox. */
export const teamTexts = {
  label: 'Shared work',
  assign: 'Assign',
  assignedTo: (name: string) => `Assigned to ${name}`,
  toMe: 'Me',
  snooze: 'Snooze',
  snoozedUntil: (when: string) => `Snoozed until ${when}`,
  snoozed: (when: string) => `Snoozed until ${when}.`,
  endSnooze: 'End snooze',
  muted: 'Muted: new messages skip the inbox.',
  forMe: (when: string) => `Only for me, until ${when}`,
  reminder: (when: string) => `Comes back on ${when} if nobody answers`,
  labels: 'Labels',
  newLabel: 'New label…',
  labelName: 'Name of the label',
  createLabel: 'Create label',
  noLabels: 'No labels yet',
  viewing: (name: string) => `${name} is looking at this`,
  replying: (name: string) => `${name} is replying`,
  note: 'Note',
  noteOf: (name: string) => `Note of ${name}`,
  writeNote: 'Write note',
  noteField: 'Note for your team. Nobody outside sees it. Mention people with @.',
  saveNote: 'Save note',
  deleteNote: 'Delete note',
  someone: 'Automatic',
  notes: (count: number) => plural(count, { one: '1 note', other: `${count} notes` }),
  draftOf: (name: string) => `${name} is writing this draft`,
  takeOver: 'Take over',
  takenOver: 'The draft is yours now. The text as it was is in the activity.',
  takenByOther: (name: string) =>
    `${name} has taken over this draft. Your text is kept in a draft of your own.`,
  sentBy: (name: string) => `Sent by ${name}`,
  changedTitle: 'There is a new message in this conversation',
  changedText: (count: number) =>
    plural(count, {
      one: 'Someone has written a message that you had not seen when you started.',
      other: `${count} messages have been written that you had not seen when you started.`,
    }),
  readFirst: 'Read it first',
};
