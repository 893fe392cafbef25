import { z } from 'zod';
import { givenName } from './choose-egress.ts';
import { timestamp } from '../../../platform/schema.ts';

const providerSchema = z
  .object({
    provider: z.string().describe('A large provider, found by its mail servers, or `other`'),
    cap: z.int().nullable().describe('The most messages of today. Null: warm, no limit'),
    sent: z.int().describe('How many were sent today'),
    room: z.int().nullable().describe('How many more can be sent today. Null: no limit'),
    waiting: z.int().describe('Messages of campaigns that wait for a later day'),
    change: z
      .enum(['start', 'rise', 'hold', 'halve', 'rest', 'warm'])
      .describe('How the limit follows from the last day with mail'),
    because: z.string().describe('The same in words'),
    curve: z
      .array(z.object({ day: z.string(), cap: z.int().nullable(), sent: z.int() }))
      .describe('The last 60 days with mail, oldest first'),
  })
  .meta({ id: 'WarmUpProvider' });

const warmUpSchema = z
  .object({
    target: z.int(),
    start: z.int(),
    factor: z.number(),
    startedAt: timestamp,
    providers: z.array(providerSchema),
  })
  .meta({ id: 'WarmUp' });

export const egressSchema = z
  .object({
    name: z.string(),
    kind: z.enum(['direct', 'relay']),
    address: z.string().describe('The local address, or the host of the relay'),
    ehlo: z.string().nullable(),
    pools: z.array(z.object({ name: z.string(), weight: z.int() })).describe('The pools that contain it'),
    warmup: warmUpSchema.nullable(),
    slowed: z.array(
      z.object({
        provider: z.string().describe('A large provider, or the domain of recipients'),
        until: timestamp,
        because: z.string(),
      }),
    ),
  })
  .meta({ id: 'Egress' });

export const egressList = z.object({ items: z.array(egressSchema) });
export const egressParams = z.object({ name: givenName });

const count = z.int().min(1).max(10_000_000);
export const warmUpInput = z
  .object({
    target: count.describe('Messages a day and provider'),
    start: count.default(50),
    factor: z.number().min(1.01).max(3).default(1.5),
  })
  .refine(({ target, start }) => start <= target, {
    error: 'must not be more than target',
    path: ['start'],
  });

export type WayOut = z.infer<typeof egressSchema>;
export type WarmUpInput = z.output<typeof warmUpInput>;
