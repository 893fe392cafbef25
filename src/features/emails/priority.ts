/** What waits to be delivered goes in this order: mail that somebody waits for passes what goes to many. */
export const PRIORITY = { transactional: 0, bulk: 1 };

export type Priority = keyof typeof PRIORITY;
