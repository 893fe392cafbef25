/** The texts of the form of a saved reply: its folder, its files, and what it does to the conversation. */
export const replyTexts = {
  folder: 'Folder',
  folderHint: 'Saved replies with the same folder are listed together.',
  files: 'Files',
  addFiles: 'Add files',
  removeFile: (name: string) => `Remove ${name}`,
  tooLarge: 'The files of a saved reply can have at most 25 MB together.',
  done: 'When the reply is sent',
  archive: 'Archive the conversation',
  assign: 'Assign the conversation',
  toNobody: 'Do not assign',
  toSender: 'To the person who sends the reply',
  label: 'Add a label',
  noLabel: 'Choose a label',
  removeLabel: (name: string) => `Without the label ${name}`,
};
