/** The texts about the automatic reply. They are loaded with the dialog. */
export const automaticReplyTexts = {
  title: 'Automatic reply',
  lead: 'Replies to messages while you are away. Each sender gets at most one reply in seven days. Newsletters and automatic messages get no reply.',
  enabled: 'Send automatic replies',
  from: 'First day',
  until: 'Last day',
  daysHint: 'Leave empty for no limit.',
  subject: 'Subject',
  subjectHint: 'Leave empty to use “Auto:” and the subject of the message.',
  text: 'Message',
  textHint: 'Leave empty to send a short note that you are away.',
  saved: 'Automatic reply saved',
};
