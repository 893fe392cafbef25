import { describe, expect, test } from 'vitest';
import { isScanner, classifyVisitor } from './classify-visitor.ts';

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const get = (userAgent: string | null, purpose: string | null = null, method = 'GET') => ({
  method,
  userAgent,
  purpose,
});

describe('people', () => {
  test.each([
    CHROME,
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)',
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.0',
    'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; Win64; x64; Trident/7.0; Microsoft Outlook 16.0.5110; ms-office; MSOffice 16)',
    'Mozilla/5.0 (Linux; Android 15; Cubot KingKong) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36',
    'Outlook-iOS/729.2613927.prod.iphone (4.2520.0)',
    'curl/8.5.0',
    null,
  ])('%s', (userAgent) => expect(classifyVisitor(get(userAgent))).toBe('person'));
});

describe('machines', () => {
  test.each([
    ['Apple', get('Mozilla/5.0')],
    [
      'Gmail',
      get('Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)'),
    ],
    ['Yahoo', get('YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html')],
    ['a crawler', get('Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)')],
    ['a preview', get('Mozilla/5.0 (Windows NT 6.1; WOW64) BingPreview/1.0b')],
    ['a chat', get('Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)')],
    ['Barracuda', get('Mozilla/5.0 (compatible; BarracudaCentral)')],
    ['Mimecast', get('Mimecast URL Protect')],
    ['a browser without a screen', get(CHROME.replace('Chrome', 'HeadlessChrome'))],
    ['HEAD', get(CHROME, null, 'HEAD')],
    ['prefetch', get(CHROME, 'prefetch;prerender')],
    ['preview', get(CHROME, 'preview')],
  ])('%s', (_name, request) => expect(classifyVisitor(request)).toBe('machine'));

  test('a visitor that follows every link at the same moment', () => {
    expect([isScanner(2), isScanner(3)]).toEqual([false, true]);
  });
});
