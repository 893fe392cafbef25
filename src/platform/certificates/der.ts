/** Encodes ASN.1 values by the Distinguished Encoding Rules (X.690). */

export const TAG = {
  sequence: 0x30,
  set: 0x31,
  octets: 0x04,
  bits: 0x03,
  integer: 0x02,
  utf8: 0x0c,
  oid: 0x06,
};

/** The contents together are shorter than 64 KiB. */
export function der(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...bytes]), content]);
}

/** Encodes numbers that are not negative. A leading zero byte keeps the sign bit clear. */
export function derInteger(value: bigint): Buffer {
  const digits = value.toString(16);
  const bytes = Buffer.from(digits.length % 2 ? `0${digits}` : digits, 'hex');
  return der(TAG.integer, bytes[0]! & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}
