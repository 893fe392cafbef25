/** Matched messages that decide nothing about what a caller gets, and why. */
export const ALLOWED_MATCHES: Record<string, string> = {
  '/position (\\d+)/.exec((error as Error).message)':
    'the message is of JSON.parse, and says only where the fault is',
  "message.startsWith('or ')": 'completes the sentence with the name of its field',
  "message.indexOf(' ')": 'renames the field that the sentence is about',
  '/undefined entity/i.test(error.message)':
    'the message is of the XML parser, and says that a reference stays as it is written',
  "message === 'ping'": 'is a message between threads',
  "message === 'close'": 'is a message between threads',
};
