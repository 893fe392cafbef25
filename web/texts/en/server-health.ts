/** The server writes English. Other languages translate what it says about the health and the reports of a domain. */
export const serverHealth = { translate: (sentence: string) => sentence };
