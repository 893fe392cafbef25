/**
 * Limits sign-ups by forms, per process. A submission with a valid time stamp comes from someone who opened the page.
 * One without comes from a form on another site or from a bot, so fewer are accepted.
 */
import { createWindowLimit } from './window-limit.ts';

const NETWORK_WINDOW_MS = 10 * 60 * 1000;
const PER_NETWORK = { stamped: 30, unstamped: 15 };
const ADDRESS_WINDOW_MS = 60 * 60 * 1000;
const PER_ADDRESS = 10;
interface Submission {
  formId: string;
  teamId: number;
  network: string;
  addressKey: string;
  isStamped: boolean;
}

export interface SignUpLimits {
  /** Counts a submission. Returns the seconds after which the next one is accepted; 0 if this one is. */
  count(submission: Submission): number;
}

export function createSignUpLimits(now: () => number = () => performance.now()): SignUpLimits {
  const { count } = createWindowLimit(now);
  return {
    count({ formId, teamId, network, addressKey, isStamped }) {
      const kind = isStamped ? 'stamped' : 'unstamped';
      return (
        count(`${kind} ${formId} ${network}`, PER_NETWORK[kind], NETWORK_WINDOW_MS) ||
        count(`address ${teamId} ${addressKey}`, PER_ADDRESS, ADDRESS_WINDOW_MS)
      );
    },
  };
}
