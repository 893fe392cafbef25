/**
 * Reads something that is kept in memory again when it may have changed. Changes that come during a read are read by the
 * next one, so a flood of them costs two reads. A read that fails is repeated.
 */
export interface Reread {
  refresh(): void;
  close(): void;
}

const RETRY_MS = 1_000;

export function createReread(read: () => Promise<void>, onError: (error: Error) => void): Reread {
  let running: Promise<void> | null = null;
  let isStale = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  function refresh(): void {
    isStale = true;
    if (running || isClosed) return;
    clearTimeout(timer);
    isStale = false;
    running = read()
      .catch((error: Error) => {
        isStale = false;
        if (isClosed) return;
        onError(error);
        timer = setTimeout(refresh, RETRY_MS).unref();
      })
      .finally(() => {
        running = null;
        if (isStale) refresh();
      });
  }

  return {
    refresh,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
