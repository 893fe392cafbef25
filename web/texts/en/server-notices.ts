/** The server writes English. Other languages translate its notices. */
export const serverNotices = { translate: (sentence: string) => sentence };
