/** A TLS certificate that other software renews. Its files are read at the start and again whenever they change. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { DAY_MS } from '../durations.ts';

/** Certificates are renewed weeks before they expire. One that is this close to its end could not be. */
export const EXPIRES_SOON_MS = 7 * DAY_MS;

/** Key and certificate chain in PEM. */
export interface Certificate {
  key: string;
  cert: string;
}

export interface CertificateFiles {
  certFile: string;
  keyFile: string;
}

/**
 * Throws an error for the operator when a file is unreadable or invalid, or when the key does not match the
 * certificate.
 */
export function readCertificate({ certFile, keyFile }: CertificateFiles): Certificate {
  const cert = read(certFile);
  const key = read(keyFile);
  const parsed = parse(certFile, 'certificate', () => new X509Certificate(cert));
  const parsedKey = parse(keyFile, 'private key without a passphrase', () => createPrivateKey(key));
  if (!parsed.checkPrivateKey(parsedKey)) throw new Error(`${keyFile} does not match ${certFile}`);
  // This also checks the rest of the chain and whether TLS accepts the strength of the key.
  parse(certFile, 'certificate that can be used for TLS', () => createSecureContext({ cert, key }));
  return { cert, key };
}

/**
 * Returns a function that gives the current certificate. It checks the files for changes, which is cheap enough to do
 * for every connection. Invalid files are an error at the start; later the previous certificate stays in use.
 */
export function watchCertificate(
  files: CertificateFiles,
  onChange: (error: Error | null) => void,
): () => Certificate {
  let seen = stampOf(files);
  let kept = readCertificate(files);
  return () => {
    const stamp = stampOf(files);
    if (stamp === seen) return kept;
    // Remember the stamp before reading, so that a write during the read is noticed by the next call.
    seen = stamp;
    try {
      kept = readCertificate(files);
      onChange(null);
    } catch (error) {
      onChange(error as Error);
    }
    return kept;
  };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`${file} cannot be read`, { cause });
  }
}

function parse<Result>(file: string, kind: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    throw new Error(`${file} contains no ${kind}`, { cause });
  }
}

function stampOf({ certFile, keyFile }: CertificateFiles): string {
  return `${stampOfFile(certFile)} ${stampOfFile(keyFile)}`;
}

/** Never throws: reading an unreadable file reports the error. */
function stampOfFile(file: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(file);
    return [ino, size, mtimeMs, ctimeMs].join();
  } catch {
    return 'none';
  }
}
