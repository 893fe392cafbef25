/** Room for so many bytes of work at a time: who finds none waits in line, and what is larger than all of it goes alone. */
export type Room = <Result>(bytes: number, work: () => Promise<Result>) => Promise<Result>;

export function createRoom(size: number): Room {
  let taken = 0;
  const line: { bytes: number; enter(): void }[] = [];

  function admit(): void {
    for (;;) {
      const next = line[0];
      if (!next || (taken > 0 && taken + next.bytes > size)) return;
      line.shift();
      taken += next.bytes;
      next.enter();
    }
  }

  return async (bytes, work) => {
    await new Promise<void>((enter) => {
      line.push({ bytes, enter });
      admit();
    });
    try {
      return await work();
    } finally {
      taken -= bytes;
      admit();
    }
  };
}
