/**
 * Deliveries are sent in this order. Transactional email is urgent and has reserved resources (docs/decisions/0016).
 * Batches and scheduled email follow, then campaigns and other bulk email.
 */
export const PRIORITY = { transactional: 0, batch: 1, bulk: 2 };

export type Priority = keyof typeof PRIORITY;

/** A request that sends to more recipients than this is a batch. */
export const MOST_URGENT_RECIPIENTS = 5;
