/** The server writes English. Other languages translate its errors, and what it says is wrong with a field. */
export const serverErrors = { translate: (sentence: string) => sentence };
