/** Large responses are written in pieces of this size, because only the end of a write shows that the client reads. */
export const WRITE_BYTES = 256 * 1024;
