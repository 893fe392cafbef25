/**
 * An address of this machine that is not loopback, so connections to it count as coming from the network. Undefined if
 * the machine has no network.
 */
import { networkInterfaces } from 'node:os';

export const OUTWARD_ADDRESS = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
