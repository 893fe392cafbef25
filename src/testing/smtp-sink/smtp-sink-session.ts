/** One connection of the sink. It reads commands, sends replies and records messages. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { TEST_CERTIFICATE, TEST_KEY } from '../servers/certificate.ts';
import { SinkBody } from './smtp-sink-body.ts';
import { handleAuth } from './smtp-sink-auth.ts';
import {
  CLOSE,
  ehloReply,
  SILENCE,
  type SinkAnswer,
  type SinkMoment,
  type SinkRecord,
} from './smtp-sink-behaviour.ts';

const NOTHING = Buffer.alloc(0);

export class SinkSession {
  #socket: Socket;
  #record: SinkRecord;
  #number: number;
  #isSecured: boolean;
  #input: Buffer = NOTHING;
  #output: Promise<void> = Promise.resolve();
  #isSilent = false;
  #body: SinkBody | null = null;
  /** The current BDAT: its size, and whether its bytes are recorded. */
  #chunk: { size: number; isWanted: boolean } | null = null;
  #user: string | null = null;
  /** The lines of the current AUTH. */
  #authLines: string[] = [];
  #sender: { mailFrom: string; parameters: string } | null = null;
  #recipients: string[] = [];

  constructor(socket: Socket, record: SinkRecord, number: number, isSecured: boolean) {
    this.#socket = socket;
    this.#record = record;
    this.#number = number;
    this.#isSecured = isSecured;
  }

  greet(): void {
    this.#listen();
    this.#answer('CONNECT', '220 sink.test ESMTP');
  }

  #listen(): void {
    this.#socket.on('error', () => {});
    this.#socket.on('data', this.#onData);
  }

  #onData = (bytes: Buffer): void => {
    this.#input = Buffer.concat([this.#input, bytes]);
    while (!this.#isSilent && this.#take());
  };

  #take(): boolean {
    if (this.#body) return this.#takeBody(this.#body);
    return this.#chunk ? this.#takeChunk(this.#chunk) : this.#takeLine();
  }

  #takeLine(): boolean {
    const end = this.#input.indexOf('\r\n');
    if (end === -1) return false;
    const line = this.#input.toString('utf8', 0, end);
    this.#input = this.#input.subarray(end + 2);
    this.#record.commands.push(line);
    if (this.#authLines.length > 0) this.#authenticate(line);
    else this.#obey(line);
    return true;
  }

  #takeBody(body: SinkBody): boolean {
    const { midBody } = this.#record.behaviour;
    const taken = body.add(this.#input);
    this.#input = taken?.rest ?? NOTHING;
    if (midBody && body.length >= midBody.afterBytes) {
      this.#send(midBody.answer);
      if (this.#isSilent) this.#socket.pause();
      return false;
    }
    if (!taken) return false;
    this.#body = null;
    this.#finish(taken.data);
    return true;
  }

  /** Consumes the bytes of a BDAT, even if they are discarded. */
  #takeChunk({ size, isWanted }: { size: number; isWanted: boolean }): boolean {
    const { midBody } = this.#record.behaviour;
    if (midBody && this.#input.length >= midBody.afterBytes) {
      this.#send(midBody.answer);
      if (this.#isSilent) this.#socket.pause();
      return false;
    }
    if (this.#input.length < size) return false;
    const data = this.#input.subarray(0, size);
    this.#input = this.#input.subarray(size);
    this.#chunk = null;
    if (isWanted) this.#finish(data);
    else this.#send('503 5.5.1 No recipients');
    return true;
  }

  #finish(data: Buffer): void {
    const { sizeLimit, replies } = this.#record.behaviour;
    const isTooBig = sizeLimit !== null && data.length > sizeLimit;
    const usual = isTooBig ? '552 5.3.4 Too big' : `250 2.0.0 Queued as ${this.#record.messages.length + 1}`;
    const answer = [replies.DOT ?? usual].flat().join(' ');
    const message = {
      ...(this.#sender ?? { mailFrom: '', parameters: '' }),
      recipients: this.#recipients,
      data,
      at: new Date(),
      connection: this.#number,
      isSecured: this.#isSecured,
      user: this.#user,
      answer,
    };
    this.#record[answer.startsWith('2') ? 'messages' : 'refused'].push(message);
    this.#reset();
    this.#answer('DOT', usual);
  }

  #obey(line: string): void {
    const [, verb = '', rest = ''] = /^(\S+) ?(.*)$/.exec(line) ?? [];
    const moment = verb.toUpperCase();
    const path = /^(?:FROM|TO):<([^>]*)> ?(.*)$/i.exec(rest);
    const { behaviour } = this.#record;
    if (moment === 'EHLO') return this.#answer('EHLO', ehloReply(behaviour, this.#isSecured));
    if (moment === 'HELO' || moment === 'NOOP') return this.#answer(moment, '250 sink.test');
    if (moment === 'STARTTLS' && behaviour.starttls !== 'none') return this.#startTls();
    if (moment === 'AUTH' && behaviour.auth) return this.#authenticate(rest);
    if (moment === 'RSET') {
      this.#reset();
      return this.#answer('RSET', '250 2.0.0 Reset');
    }
    if (moment === 'QUIT') return this.#answer('QUIT', ['221 2.0.0 Bye', CLOSE]);
    if (moment === 'MAIL' && path) {
      if (behaviour.auth && !this.#user) return this.#answer('MAIL', '530 5.7.0 Authentication required');
      if (this.#sender) return this.#answer('MAIL', '503 5.5.1 Nested MAIL');
      if (this.#answerIsYes('MAIL')) this.#sender = { mailFrom: path[1]!, parameters: path[2]! };
      return this.#answer('MAIL', '250 2.1.0 Sender ok');
    }
    if (moment === 'RCPT' && path) return this.#takeRecipient(path[1]!);
    if (moment === 'BDAT' && behaviour.extensions.includes('CHUNKING')) {
      const [, size, isLast] = /^(\d+)( LAST)?$/.exec(rest) ?? [];
      if (!isLast) return this.#send('501 5.5.4 The last one alone is known here');
      this.#chunk = { size: Number(size), isWanted: this.#recipients.length > 0 };
      return;
    }
    if (moment === 'DATA') {
      const usual = this.#recipients.length > 0 ? '354 Go ahead' : '503 5.5.1 No recipients';
      if ([behaviour.replies.DATA ?? usual].flat()[0]!.startsWith('354')) this.#body = new SinkBody();
      return this.#answer('DATA', usual);
    }
    this.#send('500 5.5.2 What?');
  }

  #takeRecipient(address: string): void {
    const own = this.#record.behaviour.rcptReplies[address.toLowerCase()];
    if (own) return this.#send(own);
    if (!this.#sender) return this.#answer('RCPT', '503 5.5.1 No MAIL yet');
    if (this.#answerIsYes('RCPT')) this.#recipients.push(address);
    this.#answer('RCPT', '250 2.1.5 Recipient ok');
  }

  #startTls(): void {
    const { starttls, replies } = this.#record.behaviour;
    const go = starttls === 'injecting' ? '220 2.0.0 Go ahead\r\n250 2.0.0 Injected' : '220 2.0.0 Go ahead';
    this.#answer('STARTTLS', go);
    if (replies.STARTTLS) return;
    this.#socket.off('data', this.#onData);
    if (starttls === 'broken') this.#socket.once('data', () => this.#send(['no TLS here', CLOSE]));
    else void this.#secure();
  }

  async #secure(): Promise<void> {
    await this.#output;
    this.#socket = new TLSSocket(this.#socket, { isServer: true, key: TEST_KEY, cert: TEST_CERTIFICATE });
    this.#isSecured = true;
    this.#reset();
    this.#listen();
  }

  #authenticate(line: string): void {
    this.#authLines.push(line);
    const heard = handleAuth(this.#authLines, this.#record.behaviour.auth);
    if ('ask' in heard) return this.#send(heard.ask);
    this.#authLines = [];
    this.#user = heard.user;
    this.#answer('AUTH', heard.user ? '235 2.7.0 Welcome' : '535 5.7.8 Wrong user or password');
  }

  #reset(): void {
    this.#sender = null;
    this.#recipients = [];
  }

  #answerIsYes(moment: SinkMoment): boolean {
    return [this.#record.behaviour.replies[moment] ?? '2'].flat()[0]!.startsWith('2');
  }

  #answer(moment: SinkMoment, usual: SinkAnswer): void {
    this.#send(this.#record.behaviour.replies[moment] ?? usual);
  }

  #send(answer: SinkAnswer): void {
    const socket = this.#socket;
    const { dripMs } = this.#record.behaviour;
    for (const part of [answer].flat()) {
      if (part === SILENCE) this.#isSilent = true;
      if (this.#isSilent) return;
      if (part === CLOSE) this.#isSilent = true;
      if (dripMs > 0) this.#output = this.#output.then(() => drip(socket, part, dripMs));
      else if (part === CLOSE) socket.destroySoon();
      else socket.write(`${part}\r\n`);
    }
  }
}

async function drip(socket: Socket, part: string, dripMs: number): Promise<void> {
  if (part === CLOSE) return socket.destroySoon();
  for (const byte of `${part}\r\n`) {
    await wait(dripMs);
    if (socket.destroyed) return;
    socket.write(byte);
  }
}
