/** The first request of an application, in languages whose own library can send it: nothing is installed for it. */
export interface FirstEmail {
  /** The URL of the server, without a slash at the end. */
  url: string;
  key: string;
  from: string;
  to: string;
}

export const LANGUAGES = ['curl', 'node', 'python', 'php', 'ruby'] as const;
export type Language = (typeof LANGUAGES)[number];

export const LANGUAGE_NAMES: Record<Language, string> = {
  curl: 'curl',
  node: 'Node.js',
  python: 'Python',
  php: 'PHP',
  ruby: 'Ruby',
};

const SUBJECT = 'Hello from Posthorn';
const HTML = '<p>It works.</p>';

export function writeFirstRequest(language: Language, email: FirstEmail): string {
  return WRITERS[language](email);
}

const WRITERS: Record<Language, (email: FirstEmail) => string> = {
  curl: ({ url, key, from, to }) =>
    `curl -X POST ${url}/api/v1/emails \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d ${inShell(JSON.stringify({ from, to, subject: SUBJECT, html: HTML }, null, 2))}`,
  node: ({ url, key, from, to }) =>
    `const response = await fetch('${url}/api/v1/emails', {
  method: 'POST',
  headers: { Authorization: 'Bearer ${key}', 'Content-Type': 'application/json' },
  body: JSON.stringify({
    from: ${quoted(from)},
    to: ${quoted(to)},
    subject: '${SUBJECT}',
    html: '${HTML}',
  }),
});
console.log(await response.text());`,
  python: ({ url, key, from, to }) =>
    `import json, urllib.request

email = {
    "from": ${JSON.stringify(from)},
    "to": ${JSON.stringify(to)},
    "subject": "${SUBJECT}",
    "html": "${HTML}",
}
request = urllib.request.Request(
    "${url}/api/v1/emails",
    data=json.dumps(email).encode(),
    headers={"Authorization": "Bearer ${key}", "Content-Type": "application/json"},
)
print(urllib.request.urlopen(request).read().decode())`,
  php: ({ url, key, from, to }) =>
    `<?php
$email = [
    'from' => ${quoted(from)},
    'to' => ${quoted(to)},
    'subject' => '${SUBJECT}',
    'html' => '${HTML}',
];
echo file_get_contents('${url}/api/v1/emails', false, stream_context_create(['http' => [
    'method' => 'POST',
    'header' => "Authorization: Bearer ${key}\\r\\nContent-Type: application/json",
    'content' => json_encode($email),
]]));`,
  ruby: ({ url, key, from, to }) =>
    `require 'net/http'
require 'json'

email = {
  from: ${quoted(from)},
  to: ${quoted(to)},
  subject: '${SUBJECT}',
  html: '${HTML}',
}
headers = { 'Authorization' => 'Bearer ${key}', 'Content-Type' => 'application/json' }
puts Net::HTTP.post(URI('${url}/api/v1/emails'), email.to_json, headers).body`,
};

/** A text in single quotes, as JavaScript, PHP and Ruby read it. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function inShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
