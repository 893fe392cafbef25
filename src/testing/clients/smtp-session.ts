/** Connects our SMTP client to the sink for a test, with short time limits and a message to send. */
import { openSession, type OpenResult, type SmtpOptions, type SmtpTarget } from '../../mail/smtp/client.ts';
import type { SmtpSession, SmtpTimeouts } from '../../mail/smtp/session.ts';
import type { OutgoingMessage } from '../../mail/smtp/envelope.ts';
import { TEST_CERTIFICATE } from '../servers/certificate.ts';

/** Uses no TLS unless `target` requires it. The sink's certificate is trusted. */
export function openTestSession(
  sink: { host: string; port: number },
  target: Partial<SmtpTarget> = {},
  { timeouts, ...options }: SmtpOptions = {},
): Promise<OpenResult> {
  return openSession(
    {
      host: sink.host,
      port: sink.port,
      tls: 'none',
      servername: 'mx.example.test',
      verifyCertificate: false,
      auth: null,
      localName: 'client.test',
      ...target,
    },
    {
      timeouts: { connectMs: 1000, greetingMs: 1000, commandMs: 1000, dataMs: 1000, ...timeouts },
      ca: TEST_CERTIFICATE,
      ...options,
    },
  );
}

export interface TestSessions {
  open(timeouts?: Partial<SmtpTimeouts>): Promise<SmtpSession>;
  /** Called after each test. */
  closeAll(): Promise<void>;
}

/** Opens sessions with the sink and remembers them. */
export function trackSessions(sink: { host: string; port: number }): TestSessions {
  const sessions: SmtpSession[] = [];
  return {
    async open(timeouts = {}) {
      const { session } = await openTestSession(sink, {}, { timeouts });
      sessions.push(session!);
      return session!;
    },
    async closeAll() {
      await Promise.all(sessions.splice(0).map((session) => session.close()));
    },
  };
}

export function testMessage(changes: Partial<OutgoingMessage> = {}): OutgoingMessage {
  const chunks = changes.chunks ?? [Buffer.from('Subject: x\r\n\r\n'), Buffer.from('hello\r\n')];
  const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return { mailFrom: 'a@client.test', recipients: ['b@x.test'], smtpUtf8: false, size, ...changes, chunks };
}
