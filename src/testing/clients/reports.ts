/** Reports that other servers send: delivery reports (RFC 3464) and complaints (RFC 5965). */
import { openDialogue } from '../smtp-dialogue.ts';

/** Sends a message to the inbound port. Returns the replies to RCPT and to the data. */
export async function sendReport(
  port: number,
  to: string,
  message: string,
): Promise<{ rcpt: string; data: string | null }> {
  const dialogue = await openDialogue(port);
  await dialogue.say('EHLO mx.example.org');
  await dialogue.say('MAIL FROM:<>');
  const rcpt = await dialogue.say(`RCPT TO:<${to}>`);
  let data: string | null = null;
  if (rcpt.startsWith('250')) {
    await dialogue.say('DATA');
    dialogue.write(`${message.replaceAll('\n', '\r\n')}\r\n.\r\n`);
    data = await dialogue.hear();
  }
  dialogue.drop();
  return { rcpt, data };
}

function reportOf(type: string, fields: string, messageId = '<unknown@relay.example>'): string {
  return `From: MAILER-DAEMON@mx.example.org
Subject: Report
MIME-Version: 1.0
Content-Type: multipart/report; report-type=${type}; boundary="b"

--b
Content-Type: text/plain

Something happened.

--b
Content-Type: message/${type}

${fields}
--b
Content-Type: text/rfc822-headers

Message-ID: ${messageId}

--b--`;
}

export function dsn(recipient: string, action: string, status: string, messageId?: string): string {
  return reportOf(
    'delivery-status',
    `Reporting-MTA: dns; mx.example.org

Final-Recipient: rfc822; ${recipient}
Action: ${action}
Status: ${status}
Diagnostic-Code: smtp; ${action === 'failed' ? 550 : 450} ${status} No such user
`,
    messageId,
  );
}

export function complaint(recipient: string): string {
  const fields = `Feedback-Type: abuse\nUser-Agent: Test/1\nVersion: 1\nOriginal-Rcpt-To: ${recipient}\n`;
  return reportOf('feedback-report', fields);
}
