/**
 * Deliveries leave in this order. Transactional mail is urgent and has reserved resources
 * (docs/decisions/0016). Batches and scheduled mail follow, then campaigns and other bulk mail.
 */
export const PRIORITY = { transactional: 0, batch: 1, bulk: 2 };

export type Priority = keyof typeof PRIORITY;

/** A request that sends to more recipients than this is a batch. */
export const MOST_URGENT_RECIPIENTS = 5;
