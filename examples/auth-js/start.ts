/** Sends a sign-in link, as Auth.js does when someone enters an address. */
import { posthornProvider } from './auth.ts';

const identifier = process.env.MAIL_TO!;
const url = 'http://localhost:3000/api/auth/callback/posthorn?token=1';
await posthornProvider().sendVerificationRequest({ identifier, url });
console.log(`Sent a sign-in link to ${identifier}.`);
