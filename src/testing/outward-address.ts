/**
 * An address of this machine that others reach too: what goes there counts as sent over the network. Undefined on a
 * machine that has no network.
 */
import { networkInterfaces } from 'node:os';

export const OUTWARD_ADDRESS = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
