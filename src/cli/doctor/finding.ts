export interface DoctorFinding {
  mark: 'fine' | 'warning' | 'failure';
  about: string;
  words: string;
  /** How to fix the problem. */
  advice?: string;
}

export function passed(about: string, words: string): DoctorFinding {
  return { mark: 'fine', about, words };
}

export function warning(about: string, words: string, advice: string): DoctorFinding {
  return { mark: 'warning', about, words, advice };
}

export function failure(about: string, words: string, advice: string): DoctorFinding {
  return { mark: 'failure', about, words, advice };
}

/** No check may delay the report for longer. */
const MAX_CHECK_MS = 20_000;

/** A check that is not finished in time counts as failed. */
export async function withinTime(about: string, check: Promise<DoctorFinding[]>): Promise<DoctorFinding[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<DoctorFinding[]>((resolve) => {
    const words = `the check did not finish within ${MAX_CHECK_MS / 1000} s`;
    timer = setTimeout(
      () => resolve([failure(about, words, 'Check the network and DNS_SERVERS.')]),
      MAX_CHECK_MS,
    );
  });
  return Promise.race([check, late]).finally(() => clearTimeout(timer));
}
