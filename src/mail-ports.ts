import type { Config } from './config.ts';
import type { MailPorts } from './features/instance/facts.ts';

const DEFAULT_PORTS = { submissions: 2465, imap: 2143, imaps: 2993 };

/** Returns the ports that are shown to users of email apps. */
export function mailPortsOf(config: Config): MailPorts {
  return {
    imap: config.imapPort ?? DEFAULT_PORTS.imap,
    imaps: config.imapsPort ?? DEFAULT_PORTS.imaps,
    submission: config.submissionPort,
    submissions: config.submissionsPort ?? DEFAULT_PORTS.submissions,
    ...config.publicMailPorts,
  };
}
