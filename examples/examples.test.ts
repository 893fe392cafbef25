/** Runs the examples in JavaScript against a real server. */
import { createTransport } from 'nodemailer';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createSendingTeam, type SendingTeam } from '../src/testing/fixtures/sending-team.ts';
import { startTestServer, type TestServer } from '../src/testing/test-server.ts';
import { posthornProvider, smtpServer } from './auth-js/auth.ts';
import { emails } from './better-auth/auth.ts';
import { POST } from './nextjs/route.ts';
import { sendEmail } from './supabase/index.ts';

let server: TestServer;
let team: SendingTeam;
let env: Record<string, string>;

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'smtp'] });
  team = await createSendingTeam(server, 'examples');
  env = {
    POSTHORN_KEY: await team.createKey({ permission: 'sending' }),
    POSTHORN_URL: server.url,
    POSTHORN_SMTP_HOST: '127.0.0.1',
    POSTHORN_SMTP_PORT: String(server.submissionPort),
    MAIL_FROM: `App <app@${team.domain}>`,
    MAIL_TO: 'owner@example.com',
  };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

async function newest() {
  const { items } = (await team.call('GET', '/emails?limit=1')).body;
  return (await team.call('GET', `/emails/${items[0].id}`)).body;
}

test('Next.js', async () => {
  const body = new URLSearchParams({ email: 'ada@example.com', message: 'Is the shop open?' });
  const answer = await POST(new Request('http://app.example/api/contact', { method: 'POST', body }));
  expect(await answer.json()).toEqual({ emailId: (await newest()).id });
  expect(await newest()).toMatchObject({ to: ['owner@example.com'], replyTo: ['ada@example.com'] });
  const wrong = new URLSearchParams({ email: 'nobody', message: 'x' });
  expect((await POST(new Request('http://app.example', { method: 'POST', body: wrong }))).status).toBe(400);
});

test('Auth.js by SMTP and HTTP', async () => {
  // The test server has a self-signed certificate.
  const transport = createTransport({ ...smtpServer(), tls: { rejectUnauthorized: false } });
  await transport.sendMail({ from: env.MAIL_FROM, to: 'ada@example.com', subject: 'By SMTP', text: 'Hi' });
  expect(await newest()).toMatchObject({ subject: 'By SMTP' });
  const url = 'https://app.example/callback?token=1';
  await posthornProvider().sendVerificationRequest({ identifier: 'ada@example.com', url });
  expect(await newest()).toMatchObject({ to: ['ada@example.com'], subject: 'Sign in to app.example' });
});

test('Better Auth', async () => {
  const request = { user: { email: 'ada@example.com' }, url: 'https://app.example/x' };
  await emails.emailAndPassword.sendResetPassword(request);
  expect(await newest()).toMatchObject({ subject: 'Reset your password' });
  await emails.emailVerification.sendVerificationEmail(request);
  expect(await newest()).toMatchObject({ subject: 'Confirm your address' });
});

test('Supabase', async () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const body = JSON.stringify({
    user: { email: 'grace@example.com' },
    email_data: {
      token: '123456',
      token_hash: 'h',
      redirect_to: 'https://app.example',
      email_action_type: 'recovery',
    },
  });
  const at = new Date();
  const hook = (signature: string) =>
    new Request('http://functions.example/send-email', {
      method: 'POST',
      headers: {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': signature,
      },
      body,
    });
  const variables = {
    ...env,
    SEND_EMAIL_HOOK_SECRET: `v1,${secret}`,
    SUPABASE_URL: 'https://x.supabase.example',
  };
  const signature = new Webhook(secret).sign('msg_1', at, body);
  for (let time = 0; time < 2; time++) expect((await sendEmail(hook(signature), variables)).status).toBe(200);
  expect(await newest()).toMatchObject({ to: ['grace@example.com'], subject: 'Reset your password' });
  expect(await team.countEmails('grace@example.com')).toBe(1);
  expect((await sendEmail(hook('v1,AAAA'), variables)).status).toBe(401);
});
