/** The texts of the activity of a conversation. Each follows the name of who did it. */
export const activityTexts = {
  rule: 'A rule',
  application: 'An application',
  folder: 'another folder',
  assigned: (name: string) => `assigned it to ${name}`,
  snoozed: (when: string) => `snoozed it until ${when}`,
  moved: (folder: string) => `moved it to ${folder}`,
  labelled: (added: string, removed: string) =>
    [added && `added ${added}`, removed && `removed ${removed}`].filter(Boolean).join(' and ') ||
    'changed labels',
  types: {
    unassigned: 'assigned it to nobody',
    returned: 'brought it back',
    muted: 'muted it',
    unmuted: 'unmuted it',
    noted: 'wrote a note',
    sent: 'sent a message',
    answered: 'replied',
    merged: 'merged another conversation into it',
    unmerged: 'undid a merge',
    split: 'split messages off',
    rule: 'acted on a message',
    reminder: 'set a reminder',
    draft_taken: 'took over a draft, whose text was:',
  } as Record<string, string>,
};
