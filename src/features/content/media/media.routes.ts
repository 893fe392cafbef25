import { route } from '../../api/route.ts';
import { uploadContents } from '../stored/upload-blobs.ts';
import {
  IMAGE_TYPES,
  MAX_IMAGE_BYTES,
  mediaAnswer,
  mediaDeleted,
  mediaInputQuery,
  mediaPage,
  mediaParams,
  mediaQuery,
  sentImage,
  type Media,
} from './media.schema.ts';
import { deleteMedia, getMedia, listMedia, storeMedia } from './media.ts';

const group = 'Media';
/** Allows for the headers and boundaries of a form. */
const FORM_BYTES = 64 * 1024;

const example: Media = {
  id: 'med_01kbd8x4zvf7m8rk2q3w5t6y7h',
  url: 'https://mail.example.com/m/BwHQ6XHHCQW0vIFWOqYd3oCgfJ9vvB_T2ht2Zx7dHc1Jj4x2U0kqkS8oJq1mX1Y',
  name: 'harbour.png',
  contentType: 'image/png',
  width: 1200,
  height: 630,
  size: 184_320,
  createdAt: '2026-11-15T09:30:00.000Z',
};
const { id } = example;

export const mediaRoutes = [
  route({
    operationId: 'createMedia',
    method: 'POST',
    creates: 'media',
    path: '/v1/media',
    scope: 'templates.write',
    group,
    summary: 'Upload an image',
    description:
      'The body is the image itself, as `application/octet-stream` or with its own type such as `image/png`, or a form with one file. The type is detected from the content: PNG, JPEG, GIF, WebP or AVIF, at most 10 MiB. SVG is rejected because it can contain scripts. An image that your team already has is not stored again; the existing one is returned.',
    permission: 'full',
    role: 'member',
    bodyLimitBytes: MAX_IMAGE_BYTES + FORM_BYTES,
    takesFile: {
      contentTypes: IMAGE_TYPES,
      alsoTaken: [/^image\/(?!svg)/, 'application/octet-stream'],
      maxBytes: MAX_IMAGE_BYTES,
      example: 'harbour.png',
    },
    errors: ['TOO_LARGE'],
    query: mediaInputQuery,
    body: sentImage,
    answer: mediaAnswer,
    example: { query: { name: 'harbour.png' }, answer: example },
    async prepare({ db, teamId, body }) {
      await uploadContents(db, [teamId], [body.content]);
      return body;
    },
    handle: ({ db, teamId, facts, body, query }) =>
      storeMedia(db, teamId, facts, { ...body, name: query.name }),
  }),
  route({
    operationId: 'listMedia',
    method: 'GET',
    path: '/v1/media',
    scope: 'templates.read',
    group,
    summary: 'List images',
    description: 'Newest first.',
    permission: 'full',
    role: 'member',
    readsReplica: true,
    query: mediaQuery,
    answer: mediaPage,
    example: { answer: { items: [example], next_cursor: null } },
    handle: ({ db, teamId, facts, query }) => listMedia(db, teamId, facts, query),
  }),
  route({
    operationId: 'getMedia',
    method: 'GET',
    path: '/v1/media/{mediaId}',
    scope: 'templates.read',
    group,
    summary: 'Get an image',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: mediaParams,
    answer: mediaAnswer,
    example: { params: { mediaId: id }, answer: example },
    handle: ({ db, teamId, facts, params }) => getMedia(db, teamId, facts, params.mediaId),
  }),
  route({
    operationId: 'deleteMedia',
    method: 'DELETE',
    path: '/v1/media/{mediaId}',
    scope: 'templates.write',
    group,
    summary: 'Delete an image',
    description: 'Its URL stops working, also in emails that were already sent.',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: mediaParams,
    answer: mediaDeleted,
    example: { params: { mediaId: id }, answer: { id, success: true } },
    async handle({ db, teamId, params }) {
      await deleteMedia(db, teamId, params.mediaId);
      return { id: params.mediaId, success: true };
    },
  }),
];
