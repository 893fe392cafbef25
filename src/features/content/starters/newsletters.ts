/** Starters for campaigns. */
import {
  bold,
  box,
  bullets,
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
  quote,
  spacer,
  type StarterLook,
} from './starter-blocks.ts';
import type { StarterDesign } from './starter-design.ts';

const SITE = 'https://example.com';

export const newsletters: StarterDesign[] = [
  {
    id: 'newsletter',
    name: 'Newsletter',
    description: 'A lead story, two shorter ones, and what else is new.',
    subject: 'This month: a headline worth opening',
    accent: '#1d4d4f',
    forCampaigns: true,
    make: (look) =>
      emailDocument(look, [
        masthead(look),
        hero(look, {
          title: 'The story of the month',
          text: 'One sentence that makes people want the rest.',
          action: ['Read the story', `${SITE}/story`],
        }),
        paragraph('Hello {{firstName,fallback=friend}},'),
        paragraph(
          'Begin with why you are writing today. Two or three short sentences are enough; the story itself can wait on your site.',
        ),
        columns(
          [
            heading(2, 'A second story'),
            paragraph('What happened, and why it matters to your readers.'),
            paragraph(link('Read more', `${SITE}/second`)),
          ],
          [
            heading(2, 'A third story'),
            paragraph('Keep this story about as long as the one beside it.'),
            paragraph(link('Read more', `${SITE}/third`)),
          ],
        ),
        divider,
        heading(2, 'In short'),
        bullets(
          [bold('A date. '), 'What happens then, and where.'],
          [bold('A number. '), 'What you counted, and what it means.'],
          [bold('A thank-you. '), 'To a reader, a colleague, a partner.'],
        ),
        footer(look, true),
      ]),
  },
  {
    id: 'product-update',
    name: 'Product update',
    description: 'One new feature first, then smaller improvements and fixes.',
    subject: 'New: the feature you asked for',
    accent: '#2b3a67',
    forCampaigns: true,
    make: (look) =>
      emailDocument(look, [
        masthead(look),
        heading(1, 'What is new'),
        paragraph(
          'Say in one sentence what people can do now that they could not do last week, without naming features.',
        ),
        box(
          heading(2, 'The main feature'),
          paragraph('Describe how it works and who it is for. If there is one thing to try first, name it.'),
          button(look, 'Try it', `${SITE}/new`),
        ),
        spacer(8),
        columns(
          [heading(3, 'Faster'), paragraph('What takes half as long as before.')],
          [heading(3, 'Clearer'), paragraph('What is easier to find or to read.')],
          [heading(3, 'Fixed'), paragraph('What works again as it should.')],
        ),
        divider,
        paragraph('Everything else is in the ', link('list of changes', `${SITE}/changes`), '.'),
        footer(look, true),
      ]),
  },
  {
    id: 'announcement',
    name: 'Announcement',
    description: 'One piece of news and nothing else.',
    subject: 'We have news',
    accent: '#5b2a86',
    forCampaigns: true,
    make: (look) =>
      emailDocument(look, [
        masthead(look, 'center'),
        hero(look, {
          title: 'We have something to tell you',
          text: 'Say it here, in one sentence that needs no other.',
          action: ['See what it is', `${SITE}/news`],
        }),
        paragraph('Dear {{firstName,fallback=reader}},'),
        paragraph('What is new, since when, and what it changes for the people who read this.'),
        quote('A sentence from the person who made it happen, in their own words.'),
        paragraph('If you have questions, reply to this email. A person reads every reply.'),
        footer(look, true),
      ]),
  },
  {
    id: 'event-invitation',
    name: 'Event invitation',
    description: 'What, when and where, with one button to say yes.',
    subject: 'You are invited: the name of the event',
    accent: '#8c3b2e',
    forCampaigns: true,
    make: (look) =>
      emailDocument(look, [
        masthead(look, 'center'),
        hero(look, { title: 'You are invited', text: 'The name of the event, in one line' }),
        columns(
          [heading(3, 'When', 'center'), centred('Thursday, 12 March'), centred('19:00 to 22:00')],
          [heading(3, 'Where', 'center'), centred('The Harbour Hall'), centred('1 Harbour Street')],
        ),
        spacer(8),
        centred(
          'Tell people what they will see and whom they will meet. Say whether they can bring someone.',
        ),
        button(look, 'Save my place', `${SITE}/invitation`, { alignment: 'center' }),
        divider,
        heading(3, 'The evening'),
        bullets(
          [bold('19:00 '), 'Doors open'],
          [bold('19:30 '), 'The talk, with questions'],
          [bold('21:00 '), 'Drinks'],
        ),
        footer(look, true),
      ]),
  },
  {
    id: 'digest',
    name: 'Digest',
    description: 'Many links in few words: the best of a week.',
    subject: 'The week in five links',
    accent: '#1f5c3d',
    forCampaigns: true,
    make: (look) =>
      emailDocument(look, [
        masthead(look),
        heading(1, 'The week in five links'),
        ...digestItems(),
        footer(look, true),
      ]),
  },
  {
    id: 'sale',
    name: 'Sale',
    description: 'A discount with its code, its end and what it is for.',
    subject: '20% off until Sunday',
    accent: '#9c1f3b',
    forCampaigns: true,
    make: (look) =>
      emailDocument(look, [
        masthead(look, 'center'),
        hero(look, {
          title: '20% off everything',
          text: 'Until Sunday at midnight',
          action: ['Shop now', `${SITE}/sale`],
        }),
        box(centred('Your code'), heading(1, 'HARBOUR20', 'center')),
        columns(
          [heading(3, 'First choice', 'center'), centred('What it is, and what it costs now.')],
          [heading(3, 'Second choice', 'center'), centred('What it is, and what it costs now.')],
          [heading(3, 'Third choice', 'center'), centred('What it is, and what it costs now.')],
        ),
        centred('The code is valid for one order until 15 March. It cannot be combined with other codes.'),
        footer(look, true),
      ]),
  },
  {
    id: 'survey',
    name: 'Survey',
    description: 'One question, with answers that are one click away.',
    subject: 'One question, ten seconds',
    accent: '#0f5a78',
    forCampaigns: true,
    make: (look) =>
      emailDocument(look, [
        masthead(look, 'center'),
        heading(1, 'How did we do?', 'center'),
        centred('{{firstName,fallback=Hello}}, you can answer with one click. It takes ten seconds.'),
        columns(
          [button(look, 'Good', `${SITE}/survey?answer=good`, { alignment: 'center', wide: true })],
          [button(look, 'Fair', `${SITE}/survey?answer=fair`, { alignment: 'center', wide: true })],
          [button(look, 'Poor', `${SITE}/survey?answer=poor`, { alignment: 'center', wide: true })],
        ),
        divider,
        centred('People read every answer, and we will tell you what we changed because of it.'),
        footer(look, true),
      ]),
  },
  {
    id: 'plain-letter',
    name: 'Plain text',
    description: 'Only text, like a note from one person to another.',
    subject: 'A short note',
    accent: '#1f2328',
    forCampaigns: true,
    make: (look) => plainLetter(look),
  },
];

function digestItems() {
  const words = ['first', 'second', 'third', 'fourth', 'fifth'];
  return words.flatMap((word, at) => [
    heading(2, `${at + 1}. The ${word} link`),
    paragraph('What it is about, in a sentence or two. ', link('Read it', `${SITE}/${word}`)),
    ...(at < words.length - 1 ? [divider] : []),
  ]);
}

function plainLetter(look: StarterLook) {
  return emailDocument(look, [
    paragraph('Hello {{firstName,fallback=there}},'),
    paragraph('Write as you would write to one person. Say first what you want to tell or ask.'),
    paragraph('Then say why, and what happens next. ', link('One link', SITE), ' is usually enough.'),
    paragraph('With kind regards,'),
    paragraph('Your name'),
    footer(look, true),
  ]);
}
