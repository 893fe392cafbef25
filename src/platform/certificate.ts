/** A TLS certificate that somebody else renews: its files are read at the start, and again once they have changed. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

/** Both in PEM. */
export interface Certificate {
  key: string;
  cert: string;
}

export interface CertificateFiles {
  certFile: string;
  keyFile: string;
}

/** Throws with what is wrong in words: a file that cannot be read or is of another kind, two that are no pair. */
export function readCertificate({ certFile, keyFile }: CertificateFiles): Certificate {
  const cert = read(certFile);
  const key = read(keyFile);
  const parsed = parse(certFile, 'certificate', () => new X509Certificate(cert));
  const parsedKey = parse(keyFile, 'private key without a passphrase', () => createPrivateKey(key));
  if (!parsed.checkPrivateKey(parsedKey)) throw new Error(`${keyFile} is not the key of ${certFile}`);
  // The chain behind the certificate, and whether the key is strong enough for today's TLS.
  parse(certFile, 'certificate that TLS can use', () => createSecureContext({ cert, key }));
  return { cert, key };
}

/**
 * Gives what the files hold now; looking whether they changed is cheap enough for every connection. What does not fit
 * is an error at the start, and later keeps what was before.
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
    // Before the files are read: what is written while we read is looked at next time.
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
    throw new Error(`${file} holds no ${kind}`, { cause });
  }
}

function stampOf({ certFile, keyFile }: CertificateFiles): string {
  return `${stampOfFile(certFile)} ${stampOfFile(keyFile)}`;
}

/** What cannot be looked at is told when it is read. */
function stampOfFile(file: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(file);
    return [ino, size, mtimeMs, ctimeMs].join();
  } catch {
    return 'none';
  }
}
