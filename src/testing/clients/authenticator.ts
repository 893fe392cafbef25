/**
 * A device with passkeys, in software (Web Authentication Level 3, sections 6.1 and 6.5): it makes keys for ES256, and
 * signs what a browser would let it sign. `lie` changes what it says.
 */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import type {
  Assertion,
  Attestation,
  CreationOptions,
  RequestOptions,
} from '../../features/identity/webauthn/webauthn.schema.ts';

export interface Lie {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  crossOrigin?: boolean;
  isVerified?: boolean;
  isPresent?: boolean;
  counter?: number;
  userHandle?: string | null;
  key?: KeyObject;
  id?: string;
  /** Instead of the attestation statement `none`. */
  statement?: { fmt: string; attStmt: Map<unknown, unknown> };
}

export interface SoftPasskey {
  id: string;
  make(options: CreationOptions, lie?: Lie): Attestation;
  use(options: RequestOptions, lie?: Lie): Assertion;
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_KEY = 0x40;

export function createSoftPasskey(origin: string, start: { counter?: number } = {}): SoftPasskey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(32).toString('base64url');
  let counter = start.counter ?? 0;
  let userHandle: string | null = null;
  const clientDataOf = (type: string, challenge: string, lie: Lie): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: lie.type ?? type,
        challenge: lie.challenge ?? challenge,
        origin: lie.origin ?? origin,
        crossOrigin: lie.crossOrigin ?? false,
      }),
    );
  const authDataOf = (rpId: string, flags: number, lie: Lie): Buffer => {
    const counted = Buffer.alloc(4);
    counted.writeUInt32BE(lie.counter ?? counter);
    const said = flags | (lie.isPresent === false ? 0 : PRESENT) | (lie.isVerified === false ? 0 : VERIFIED);
    return Buffer.concat([sha256(lie.rpId ?? rpId), Buffer.from([said]), counted]);
  };
  return {
    id,
    make(options, lie = {}) {
      userHandle = options.user.id;
      const rawId = Buffer.from(lie.id ?? id, 'base64url');
      const authData = Buffer.concat([
        authDataOf(options.rp.id, HAS_KEY, lie),
        Buffer.alloc(16),
        Buffer.from([rawId.length >> 8, rawId.length & 255]),
        rawId,
        encodeCbor(coseKeyOf(publicKey)),
      ]);
      const { fmt, attStmt } = lie.statement ?? { fmt: 'none', attStmt: new Map() };
      const parts = new Map<unknown, unknown>([
        ['fmt', fmt],
        ['attStmt', attStmt],
        ['authData', authData],
      ]);
      return {
        id: lie.id ?? id,
        rawId: lie.id ?? id,
        type: 'public-key',
        response: {
          clientDataJSON: clientDataOf('webauthn.create', options.challenge, lie).toString('base64url'),
          attestationObject: encodeCbor(parts).toString('base64url'),
          transports: ['internal'],
        },
      };
    },
    use(options, lie = {}) {
      if (counter > 0) counter += 1;
      const clientData = clientDataOf('webauthn.get', options.challenge, lie);
      const authData = authDataOf(options.rpId, 0, lie);
      const signed = Buffer.concat([authData, sha256(clientData)]);
      return {
        id: lie.id ?? id,
        rawId: lie.id ?? id,
        type: 'public-key',
        response: {
          clientDataJSON: clientData.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: sign('sha256', signed, lie.key ?? privateKey).toString('base64url'),
          userHandle: lie.userHandle === undefined ? userHandle : lie.userHandle,
        },
      };
    },
  };
}

function coseKeyOf(publicKey: KeyObject): Map<number, number | Buffer> {
  const { x, y } = publicKey.export({ format: 'jwk' });
  return new Map<number, number | Buffer>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, Buffer.from(x!, 'base64url')],
    [-3, Buffer.from(y!, 'base64url')],
  ]);
}

/** CBOR (RFC 8949) of whole numbers, bytes, texts, lists and maps. */
function encodeCbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? headOf(1, -1 - value) : headOf(0, value);
  if (Buffer.isBuffer(value)) return Buffer.concat([headOf(2, value.length), value]);
  if (typeof value === 'string')
    return Buffer.concat([headOf(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Array.isArray(value)) return Buffer.concat([headOf(4, value.length), ...value.map(encodeCbor)]);
  if (!(value instanceof Map)) throw new Error('Not in this CBOR.');
  return Buffer.concat([headOf(5, value.size), ...[...value].flat().map(encodeCbor)]);
}

function headOf(major: number, count: number): Buffer {
  if (count < 24) return Buffer.from([(major << 5) | count]);
  if (count < 256) return Buffer.from([(major << 5) | 24, count]);
  return Buffer.from([(major << 5) | 25, count >> 8, count & 255]);
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}
