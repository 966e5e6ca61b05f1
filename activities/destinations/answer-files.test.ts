import { symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { json } from '../../test/support/outside-server.ts';
import { ENDED, serveSlackChannel } from '../../test/support/slack-channel.ts';

const served = serveSlackChannel();
const { answer, chatsOf, deliver, query, write, writeFiles } = served;
const ANSWER = 'See [the table](out/sales%202026.csv) and ![a chart](./chart.svg).';
const missingScope = json({ ok: false, error: 'missing_scope', needed: 'files:write' });
const broken = json({ ok: false, error: 'internal_error' });

let chatId: string;
beforeEach(async () => {
  await write('<@UBOT> Hello');
  chatId = (await chatsOf())[0]?.id ?? '';
  await writeFiles(chatId, { 'out/sales 2026.csv': 'a,b', 'chart.svg': '<svg/>', 'other.txt': 'not linked' });
});

const again = async () => {
  await query('update webhook_deliveries set next_attempt_at = now() where org_id = $1', [served.user.orgId]);
  return deliver(chatId);
};

describe('the files that an answer in Slack links to', () => {
  test('come after it in the thread, in one message', async () => {
    expect(await answer(chatId, `${ANSWER} Again: [it](chart.svg)`)).toEqual(ENDED);
    expect(served.slack.shown).toEqual([expect.stringContaining('See the table')]);
    expect(served.slack.shared).toEqual([
      {
        channel: 'C1',
        thread: '17.01',
        text: undefined,
        files: [
          { name: 'chart.svg', content: '<svg/>' },
          { name: 'sales 2026.csv', content: 'a,b' },
        ],
      },
    ]);
  });

  test('are one message with it where it is one of its own', async () => {
    await query('update channel_events set reply = null where channel_id = $1');
    served.slack.faults.set('files.completeUploadExternal', [broken]);
    expect((await answer(chatId, ANSWER)).waitMs).toBeGreaterThan(0);
    expect(await again()).toEqual(ENDED);
    expect(served.slack.shown).toEqual(['…']);
    expect(served.slack.shared).toMatchObject([{ thread: '17.01', text: expect.stringContaining('See the table') }]);
  });

  test('come once Slack takes them, and the answer is there before', async () => {
    served.slack.faults.set('files.completeUploadExternal', [broken]);
    expect((await answer(chatId, ANSWER)).waitMs).toBeGreaterThan(0);
    expect(served.slack.shown).toEqual([expect.stringContaining('See the table')]);
    expect(await again()).toEqual(ENDED);
    expect(served.slack.shared).toHaveLength(1);
  });

  test('are named when Slack does not take them from the app, with the address of the chat', async () => {
    served.slack.faults.set('files.getUploadURLExternal', [missingScope]);
    expect(await answer(chatId, `${'long '.repeat(4_000)}${ANSWER}`)).toEqual(ENDED);
    expect(served.slack.shared).toEqual([]);
    const [shown] = served.slack.shown;
    expect(shown).toContain('• chart.svg (6 bytes), not attached\n• sales 2026.csv (3 bytes), not attached');
    expect((await served.shown())['error']).toContain('its files were not: Slack answers: missing_scope');
    expect(shown).toContain(`/o/${served.user.orgId}/chats/${chatId}`);
  });

  test('are named once Slack has failed six times', async () => {
    const failures = Array.from({ length: 6 }, () => broken);
    served.slack.faults.set('files.completeUploadExternal', failures);
    await answer(chatId, ANSWER);
    while (failures.length > 0) expect((await again()).waitMs).toBeGreaterThan(0);
    expect(await again()).toEqual(ENDED);
    const named = '• chart.svg (6 bytes), not attached\n• out/sales 2026.csv (3 bytes), not attached';
    expect([served.slack.shown, served.slack.shared]).toEqual([[expect.stringContaining(named)], []]);
  });

  test('are none of elsewhere, nor what leads out of the workspace, nor what somebody has uploaded', async () => {
    const home = join(tmpdir(), served.user.orgId, chatId);
    await symlink('/etc/passwd', join(home, 'link.txt'));
    await symlink('/etc', join(home, 'folder'));
    const paths = ['link.txt', 'folder/passwd', '../other/x', '/etc/passwd', 'out/../../x', 'out', 'gone.txt', '%00'];
    const links = [...paths, 'https://a.example/chart.svg', 'file:///etc/passwd', 'uploads/a.txt', '%2e%2e/x'];
    const form = new FormData();
    form.append('file', new Blob(['mine']), 'a.txt');
    expect((await served.user.client.upload(`/api/chats/${chatId}/files`, form)).status).toBe(201);
    await answer(chatId, links.map((link) => `[x](${link})`).join(' '));
    expect([served.slack.shared, served.slack.callsOf('files.')]).toEqual([[], 0]);
  });

  test('are named beyond ten megabytes', async () => {
    await writeFiles(chatId, { 'large.bin': Buffer.alloc(11 * 1024 ** 2) });
    await answer(chatId, '[large](large.bin) [small](chart.svg)');
    expect(served.slack.shared).toMatchObject([{ files: [{ name: 'chart.svg' }] }]);
    expect(served.slack.shown).toEqual([expect.stringContaining('• large.bin (11 MB), not attached')]);
  });

  test('of a chat that was deleted in the meantime stay where they are', async () => {
    served.slack.faults.set('chat.update', [broken]);
    await answer(chatId, ANSWER);
    await served.user.client.delete(`/api/chats/${chatId}`);
    expect(await again()).toEqual(ENDED);
    expect([served.slack.shown, served.slack.shared]).toEqual([['The chat was deleted.'], []]);
  });
});
