import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawMail } from '../../src/testing/mail-world.ts';
import { addPerson } from '../../src/testing/people.ts';
import { editorOf, type MailWalk, soon, startMailWalk } from './mail-walk.ts';
import { browserPath, chooseOption, expectNothingFromAxe } from './walk.ts';

const SHOTS = process.env.SHOTS;

async function shoot(page: Page, name: string): Promise<void> {
  if (!SHOTS) return;
  mkdirSync(SHOTS, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(300);
    await page.screenshot({ path: `${SHOTS}/${name}-${colorScheme}.png` });
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

describe.skipIf(browserPath === null)('what a team does with conversations', { timeout: 180_000 }, () => {
  let walk: MailWalk;
  let page: Page;
  let box: { id: string; address: string };

  beforeAll(async () => {
    walk = await startMailWalk();
    await walk.addDomain();
    await addPerson(walk.server, walk.owner, 'member');
    box = await walk.createMailbox('support', { undo_seconds: 0, name: 'Support' });
    await walk.owner.call('POST', `/mailboxes/${box.id}/addresses`, { address: 'sales@harbour.test' });
    await walk.owner.call('POST', `/mailboxes/${box.id}/signatures`, {
      name: 'All',
      html: '<p>Harbour Lights, your lamps</p>',
      is_default: true,
    });
    for (const [name, subject] of [
      ['Grace Hopper', 'Invoice 4711 is wrong'],
      ['Charles Babbage', 'When will my lamp arrive?'],
      ['Mary Shelley', 'A lamp for the laboratory'],
      ['Alan Turing', 'Thank you'],
    ] as const) {
      const from = `${name} <${name.split(' ')[0]!.toLowerCase()}@example.net>`;
      await walk.receive(
        box.address,
        rawMail({ from, subject, id: `<${subject.length}.${name.length}@example.net>` }),
      );
    }
    page = await walk.visitMail(`/mail/${box.id}/inbox`);
    await page.getByRole('link', { name: /Invoice 4711/ }).waitFor();
  });
  afterAll(() => walk.close());

  const row = (name: RegExp) => page.getByRole('list', { name: /Inbox/ }).getByRole('link', { name });

  test('the icon and the title count what is unread', async () => {
    await soon(() => page.title()).toMatch(/^\(4\) /);
    await soon(() => page.locator('link[rel="icon"]').getAttribute('href')).toMatch(/^data:image\/png/);
  });

  test('several conversations are labelled, assigned and snoozed at a time, and z takes it back', async () => {
    for (const subject of ['Invoice 4711 is wrong', 'Thank you'])
      await page.getByRole('checkbox', { name: new RegExp(subject) }).click();
    await page.keyboard.press('l');
    await page.getByRole('textbox', { name: 'Find or create a label' }).fill('Billing');
    await page.keyboard.press('Enter');
    const label = page.getByRole('dialog').getByRole('button', { name: 'Billing' });
    await soon(() => label.getAttribute('aria-pressed')).toBe('true');
    await shoot(page, 'label-picker');
    // Enter takes the first label that is found, and makes a new one only if there is none.
    for (const pressed of ['false', 'true']) {
      await page.getByRole('textbox', { name: 'Find or create a label' }).fill('bill');
      await page.keyboard.press('Enter');
      await soon(() => label.getAttribute('aria-pressed')).toBe(pressed);
    }
    await page.keyboard.press('Escape');
    await soon(() => row(/Billing/).count()).toBe(2);
    await page.getByRole('button', { name: 'Assign, snooze, label, mute or merge' }).click();
    await page.getByRole('menuitem', { name: 'Assign…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'A member' }).click();
    await page.getByText('2 conversations assigned to A member.').waitFor();
    await soon(() => row(/A member/).count()).toBe(2);
    await page.keyboard.press('z');
    await soon(() => row(/A member/).count()).toBe(0);
    await page.getByRole('checkbox', { name: /A lamp for the laboratory/ }).click();
    await page.keyboard.press('b');
    await page.getByRole('dialog', { name: 'Snooze until' }).waitFor();
    await shoot(page, 'snooze-picker');
    await page.getByRole('button', { name: /Tomorrow morning/ }).click();
    await page.getByText(/^Snoozed until/).waitFor();
    await soon(() => row(/laboratory/).count()).toBe(0);
    await page.keyboard.press('z');
    await soon(() => row(/laboratory/).count()).toBe(1);
  });

  test('a conversation is muted by a key, which z takes back, and unmuted where it is read', async () => {
    await page.getByRole('checkbox', { name: /A lamp for the laboratory/ }).click();
    await page.keyboard.press('m');
    await page.getByText('Muted. New messages skip the inbox.').waitFor();
    await soon(() => row(/laboratory/).count()).toBe(0);
    await page.keyboard.press('z');
    await soon(() => row(/laboratory/).count()).toBe(1);
    await page.getByRole('checkbox', { name: /A lamp for the laboratory/ }).click();
    await page.getByRole('button', { name: 'Assign, snooze, label, mute or merge' }).click();
    await page.getByRole('menuitem', { name: 'Mute' }).click();
    await soon(() => row(/laboratory/).count()).toBe(0);
    await page.getByRole('link', { name: 'Archive', exact: true }).click();
    await page.getByRole('link', { name: /A lamp for the laboratory/ }).click();
    await page.getByText('Muted: new messages skip the inbox.').waitFor();
    await shoot(page, 'muted');
    await page.getByRole('button', { name: 'Unmute' }).click();
    await page.getByText('No longer muted.').waitFor();
    await page.keyboard.press('u');
    await page.getByRole('link', { name: 'Inbox' }).click();
    const { body } = await walk.owner.call('GET', `/mailboxes/${box.id}/threads?folder=archive`);
    expect(body.items).toMatchObject([{ subject: 'A lamp for the laboratory', muted: false }]);
    await walk.owner.call('PATCH', `/threads/${body.items[0].id}`, { folder: 'inbox' });
    await row(/laboratory/).waitFor();
  });

  test('labels are renamed and deleted, and listed in the navigation', async () => {
    await page.getByRole('button', { name: 'Manage labels' }).click();
    await page.getByRole('button', { name: 'Rename Billing' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Money');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Money').first().waitFor();
    await shoot(page, 'labels');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('list', { name: 'Labels' }).getByRole('link', { name: 'Money' }).click();
    await soon(() => page.getByRole('link', { name: /Invoice 4711/ }).count()).toBe(1);
    await page.getByRole('link', { name: 'Inbox' }).click();
  });

  test('a note is edited, and the activity tells who did what', async () => {
    await row(/Invoice 4711/).click();
    await page.getByRole('heading', { name: 'Invoice 4711 is wrong' }).waitFor();
    await page.keyboard.press('Shift+N');
    await page.getByRole('textbox', { name: /Note for your team/ }).fill('He is right');
    await page.keyboard.press('Control+Enter');
    const note = page.getByRole('region', { name: 'Note of Owner' });
    await note.getByRole('button', { name: 'Edit note' }).click();
    await note.getByRole('textbox').fill('She is right, correct it');
    await note.getByRole('button', { name: 'Save note' }).click();
    await note.getByText('She is right, correct it').waitFor();
    await page.getByRole('button', { name: 'Activity' }).click();
    await page.getByRole('dialog').getByText('assigned it to A member').waitFor();
    await shoot(page, 'activity');
    await page.keyboard.press('Escape');
    await shoot(page, 'thread');
    await expectNothingFromAxe(page);
  });

  test('a sender is blocked, and it is undone', async () => {
    await page.getByRole('button', { name: 'More actions' }).last().click();
    await page.getByRole('menuitem', { name: 'Who is it' }).click();
    await page.getByRole('button', { name: 'Block sender' }).click();
    await page.getByRole('menuitem', { name: 'Reject new mail' }).click();
    await page.getByRole('button', { name: 'Unblock sender' }).waitFor();
    await shoot(page, 'person');
    const { body } = await walk.owner.call('GET', `/mailboxes/${box.id}/blocks`);
    expect(body.items).toMatchObject([{ entry: 'grace@example.net', action: 'reject' }]);
    await page.getByRole('button', { name: 'Unblock sender' }).click();
    await page.getByRole('button', { name: 'Block sender' }).waitFor();
    await page.keyboard.press('Escape');
  });

  test('who wrote is shown beside the conversation on a wide screen', async () => {
    const before = page.viewportSize()!;
    await page.setViewportSize({ width: 1700, height: 900 });
    await page.getByRole('button', { name: 'More actions' }).last().click();
    await page.getByRole('menuitem', { name: 'Who is it' }).click();
    const panel = page.getByRole('complementary', { name: 'Who is it' });
    await panel.getByRole('heading', { name: 'Grace Hopper' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('heading', { name: 'Invoice 4711 is wrong' }).waitFor();
    await shoot(page, 'person-panel');
    await expectNothingFromAxe(page);
    await panel.getByRole('button', { name: 'Close' }).click();
    await soon(() => panel.count()).toBe(0);
    await page.setViewportSize(before);
  });

  test('a reply is sent from another address, with the signature, and archives the conversation', async () => {
    await page.keyboard.press('r');
    await editorOf(page).waitFor();
    await page.keyboard.type('You are right.');
    await page.getByRole('region', { name: 'Signature' }).getByText('Harbour Lights').waitFor();
    await chooseOption(page.getByLabel('From', { exact: true }), 'sales@harbour.test');
    await shoot(page, 'composer');
    await editorOf(page).click();
    await page.keyboard.press('Control+Shift+Enter');
    await soon(() => editorOf(page).count()).toBe(0);
    const archived = `/mailboxes/${box.id}/threads?folder=archive`;
    const count = async () => (await walk.owner.call('GET', archived)).body.items.length;
    await soon(count).toBe(1);
    const { items } = (await walk.owner.call('GET', archived)).body;
    const thread = (await walk.owner.call('GET', `/threads/${items[0].id}`)).body;
    const sent = thread.messages.at(-1);
    expect(sent.from).toContain('sales@harbour.test');
    expect(sent.html).toMatch(/You are right[^]*Harbour Lights[^]*gmail_quote/);
  });

  test('conversations are merged and split, and z takes it back', async () => {
    const choose = async () => {
      for (const subject of ['A lamp for the laboratory', 'Thank you'])
        await page.getByRole('checkbox', { name: new RegExp(subject) }).click();
    };
    const countOf = () => row(/laboratory|Thank you/).count();
    await choose();
    await page.getByRole('button', { name: 'Assign, snooze, label, mute or merge' }).click();
    await page.getByRole('menuitem', { name: 'Merge conversations' }).click();
    await page.getByText(/^2 conversations of different people merged/).waitFor();
    await soon(countOf).toBe(1);
    await page.keyboard.press('z');
    await soon(countOf).toBe(2);

    await choose();
    await page.keyboard.press('ControlOrMeta+k');
    await page.keyboard.type('merge');
    await page.getByRole('option', { name: 'Merge conversations' }).waitFor();
    await page.keyboard.press('Enter');
    await soon(countOf).toBe(1);
    await row(/laboratory|Thank you/).click();
    const later = page.getByRole('article', { name: /Alan Turing/ });
    await later.getByRole('button', { name: 'More actions' }).click();
    await shoot(page, 'split-menu');
    await page.getByRole('menuitem', { name: 'Split the conversation here' }).click();
    await page.getByText('The conversation was split.').waitFor();
    await soon(() => later.count()).toBe(0);
    await soon(() => row(/laboratory|Thank you/).count()).toBe(2);
    await page.keyboard.press('z');
    await later.waitFor();
    await page.keyboard.press('u');
  });

  test('notifications are chosen, with quiet hours', async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('notif');
    await page.getByRole('option', { name: /Notifications/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Notifications' });
    await dialog.getByRole('switch', { name: box.address }).click();
    await dialog.getByRole('switch', { name: 'Quiet hours' }).click();
    await shoot(page, 'notifications');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { body } = await walk.owner.call('GET', '/notification-settings');
    expect(body).toMatchObject({ mailboxes: [box.id], quiet_hours: { from: '22:00', to: '07:00' } });
  });

  test('on a phone, a swipe to the right archives', async () => {
    const phone = await walk.visitMail(`/mail/${box.id}/inbox`, { width: 390, height: 844 });
    const link = phone.getByRole('link', { name: /When will my lamp/ });
    await link.waitFor();
    await shoot(phone, 'phone-list');
    const { x, y } = (await link.boundingBox())!;
    const finger = await phone.context().newCDPSession(phone);
    const touch = (type: string, at: number | null) =>
      finger.send('Input.dispatchTouchEvent', {
        type: type as 'touchStart',
        touchPoints: at === null ? [] : [{ x: at, y: y + 20 }],
      });
    await touch('touchStart', x + 20);
    for (const dx of [40, 80, 130]) await touch('touchMove', x + 20 + dx);
    await shoot(phone, 'phone-swipe');
    await touch('touchEnd', null);
    await soon(() => link.count()).toBe(0);
    await phone.getByRole('button', { name: 'Undo' }).click();
    await link.click();
    await phone.getByRole('heading', { name: /When will my lamp/ }).waitFor();
    await shoot(phone, 'phone-thread');
    expect(walk.complaints).toEqual([]);
  });
});
