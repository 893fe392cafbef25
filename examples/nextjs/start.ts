/** Sends the contact form to the route handler, as a browser does. */
import { POST } from './route.ts';

const body = new URLSearchParams({ email: 'ada@example.com', message: 'Is the shop open?' });
const response = await POST(new Request('http://localhost/api/contact', { method: 'POST', body }));
console.log(response.status, await response.text());
if (!response.ok) process.exitCode = 1;
