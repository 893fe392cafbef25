/** Starters for email that applications send to one person, and for the first email to a new one. */
import {
  bold,
  box,
  button,
  centred,
  columns,
  divider,
  footer,
  heading,
  hero,
  emailDocument,
  link,
  masthead,
  paragraph,
  spacer,
  steps,
  table,
} from './starter-blocks.ts';
import type { StarterDesign } from './starter-design.ts';

const SITE = 'https://example.com';

export const transactional: StarterDesign[] = [
  {
    id: 'welcome',
    name: 'Welcome',
    description: 'The first email to someone who has just signed up.',
    subject: 'Welcome, {{firstName,fallback=friend}}',
    accent: '#1d4d4f',
    forCampaigns: true,
    make: (look) =>
      emailDocument(look, [
        masthead(look, 'center'),
        hero(look, {
          title: 'Welcome',
          text: 'We are glad that you are here.',
          action: ['Have a look around', SITE],
        }),
        paragraph('Hello {{firstName,fallback=friend}},'),
        paragraph('Say what people will get from you, how often, and what they can do right now.'),
        columns(
          [
            heading(3, 'Read'),
            paragraph('What most people read first. ', link('Start here', `${SITE}/start`)),
          ],
          [heading(3, 'Ask'), paragraph('Reply to this email. A person will read it.')],
        ),
        footer(look, true),
      ]),
  },
  {
    id: 'onboarding',
    name: 'Onboarding',
    description: 'Three steps to a first success.',
    subject: 'Three steps to get started',
    accent: '#2b3a67',
    forCampaigns: true,
    make: (look) =>
      emailDocument(look, [
        masthead(look),
        heading(1, 'Get started in three steps'),
        paragraph(
          '{{firstName,fallback=Hello}}, this takes about five minutes, and you can stop after each step.',
        ),
        steps(
          [bold('Set up. '), 'The one thing that everything else needs.'],
          [bold('Try it. '), 'The smallest thing that shows what it is good for.'],
          [bold('Invite someone. '), 'It works better together.'],
        ),
        spacer(8),
        button(look, 'Start with step one', `${SITE}/start`),
        box(paragraph(bold('Stuck? '), 'Reply to this email, and we will help you.')),
        footer(look, true),
      ]),
  },
  {
    id: 'receipt',
    name: 'Receipt',
    description: 'What was bought, what it cost, and where to ask.',
    subject: 'Your receipt for order {{orderNumber}}',
    accent: '#35507a',
    forCampaigns: false,
    make: (look) =>
      emailDocument(look, [
        masthead(look),
        heading(1, 'Thank you for your order'),
        paragraph(
          'Order ',
          bold('{{orderNumber}}'),
          ' of {{orderDate}}, paid with {{paymentMethod,fallback=card}}.',
        ),
        table(
          ['Item', 'Price'],
          ['{{itemName}}', '{{itemPrice}}'],
          ['Shipping', '{{shippingPrice}}'],
          ['Total', '{{total}}'],
        ),
        columns(
          [heading(3, 'Sent to'), paragraph('{{shippingAddress}}')],
          [heading(3, 'Arrives'), paragraph('{{deliveryDate,fallback=within a week}}')],
        ),
        button(look, 'View the order', '{{orderUrl}}'),
        divider,
        paragraph('Is something wrong? Reply to this email.'),
        footer(look, false),
      ]),
  },
  {
    id: 'password-reset',
    name: 'Password reset',
    description: 'One button, how long it works, and what to do if it was not you.',
    subject: 'Reset your password',
    accent: '#1d4d4f',
    forCampaigns: false,
    make: (look) =>
      emailDocument(look, [
        masthead(look, 'center'),
        heading(1, 'Reset your password', 'center'),
        centred('Someone asked to reset the password of {{email}}. If it was you, choose a new one.'),
        button(look, 'Choose a new password', '{{resetUrl}}', { alignment: 'center' }),
        centred('The link works once, for {{validFor,fallback=one hour}}.'),
        box(
          paragraph(
            bold('Was it not you? '),
            'Then you do not have to do anything. Your password has not changed.',
          ),
        ),
        footer(look, false),
      ]),
  },
];
