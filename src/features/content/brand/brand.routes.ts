import { route } from '../../api/route.ts';
import { brandAnswer, brandUpdate, type Brand } from './brand.schema.ts';
import { getBrand, updateBrand } from './brand.ts';

const group = 'Team and keys';

const example: Brand = {
  logoUrl: 'https://mail.example.com/m/BwHQ6XHHCQW0vIFWOqYd3oCgfJ9vvB_T2ht2Zx7dHc1Jj4x2U0kqkS8oJq1mX1Y',
  backgroundColor: '#eef2f6',
  contentColor: '#ffffff',
  textColor: null,
  linkColor: '#0a557f',
  buttonColor: '#0a557f',
  fontFamily: 'serif',
  footerText: null,
  postalAddress: 'Harbour Books\nQuay 1\n20457 Hamburg',
  updatedAt: '2026-11-15T09:30:00.000Z',
};

export const brandRoutes = [
  route({
    operationId: 'getBrand',
    method: 'GET',
    path: '/v1/brand',
    scope: 'templates.read',
    group,
    summary: 'Get the brand of your team',
    description: 'The logo, colours, font and footer that new emails of the editor begin with.',
    permission: 'full',
    role: 'member',
    answer: brandAnswer,
    example: { answer: example },
    handle: ({ db, teamId }) => getBrand(db, teamId),
  }),
  route({
    operationId: 'updateBrand',
    method: 'PATCH',
    path: '/v1/brand',
    scope: 'none',
    group,
    summary: 'Change the brand of your team',
    description:
      'Only the fields you send are changed. `null` clears a field. Existing emails do not change.',
    permission: 'full',
    role: 'admin',
    body: brandUpdate,
    answer: brandAnswer,
    example: { body: { buttonColor: '#0a557f', postalAddress: example.postalAddress }, answer: example },
    handle: ({ db, teamId, body }) => updateBrand(db, teamId, body),
  }),
];
