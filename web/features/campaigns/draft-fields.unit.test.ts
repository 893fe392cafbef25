import { expect, test } from 'vitest';
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { fieldsOf, partsOf, toInput } from './draft-fields.ts';

const CAMPAIGN = {
  name: 'News',
  subject: 'Hello',
  from: 'a@shop.test',
  previewText: null,
  replyTo: ['b@shop.test', 'c@shop.test'],
  contactBookId: null,
  segmentId: 'seg_1',
  topicId: null,
  excludeCampaignId: null,
  notOpened: false,
  content: null,
  html: null,
} as unknown as Campaign;

test('a missing value of a campaign is an empty field', () => {
  expect(fieldsOf(CAMPAIGN)).toEqual({
    name: 'News',
    subject: 'Hello',
    from: 'a@shop.test',
    previewText: '',
    replyTo: 'b@shop.test, c@shop.test',
    contactBookId: '',
    segmentId: 'seg_1',
    topicId: '',
    excludeCampaignId: '',
    notOpened: 'no',
    content: null,
    html: '',
  });
});

test('only the named fields are sent, and empty ones as null', () => {
  const fields = { ...fieldsOf(CAMPAIGN), segmentId: '', replyTo: ' b@shop.test ,, ' };
  expect(toInput(fields, ['segmentId', 'topicId', 'previewText', 'replyTo'])).toEqual({
    segmentId: null,
    topicId: null,
    previewText: null,
    replyTo: ['b@shop.test'],
  });
  expect(toInput({ ...fields, replyTo: ' , ' }, ['replyTo'])).toEqual({ replyTo: null });
});

test('each field is a part of its own, except those that are validated together', () => {
  expect(partsOf(['segmentId', 'name', 'contactBookId'])).toEqual([['name'], ['segmentId', 'contactBookId']]);
  expect(partsOf(['name', 'html'])).toEqual([['name'], ['html']]);
  expect(partsOf(['notOpened', 'excludeCampaignId'])).toEqual([['notOpened', 'excludeCampaignId']]);
});
