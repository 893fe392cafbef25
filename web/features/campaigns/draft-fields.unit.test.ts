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
  variants: null,
  translations: null,
  testPercent: 20,
  decideBy: 'opens',
  decideAfterMinutes: 240,
  showInArchive: false,
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
    variants: '',
    testPercent: '20',
    decideBy: 'opens',
    decideAfterMinutes: '240',
    showInArchive: 'no',
    text: '',
    translations: '',
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

const VARIANT = { subject: null, from: null, previewText: null, html: null, content: null };

test('a variant without a subject of its own gets that of the campaign, also when that changes', () => {
  const variants = [
    { ...VARIANT, subject: 'Hello' },
    { ...VARIANT, subject: 'Other', from: 'c@shop.test' },
  ];
  const fields = fieldsOf({ ...CAMPAIGN, variants });
  expect(JSON.parse(fields.variants)).toMatchObject([{ subject: '' }, { subject: 'Other' }]);
  expect(toInput({ ...fields, subject: 'New' }, ['subject'])).toEqual({
    subject: 'New',
    variants: [
      { ...VARIANT, subject: 'New' },
      { ...VARIANT, subject: 'Other', from: 'c@shop.test' },
    ],
  });
  expect(toInput({ ...fields, variants: '' }, ['variants'])).toEqual({ variants: null });
});
