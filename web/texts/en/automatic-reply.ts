/** The texts about the automatic reply. They are loaded with the dialog. */
export const automaticReplyTexts = {
  title: 'Automatic reply',
  lead: 'Answers messages while you are away. Each sender gets one reply in seven days. Newsletters and automatic messages get none.',
  enabled: 'Send automatic replies',
  from: 'First day',
  until: 'Last day',
  daysHint: 'Leave empty for no limit.',
  subject: 'Subject',
  subjectHint: 'Leave empty for “Auto:” and the subject of the message.',
  text: 'Message',
  textHint: 'Leave empty for a short note that you are away.',
  saved: 'Automatic reply saved',
};
