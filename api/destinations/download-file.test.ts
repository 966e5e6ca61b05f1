import { beforeEach, describe, expect, test } from '@jest/globals';
import { SecretBox } from '../../db/core/secret-box.ts';
import { sealFileLink, storedVersionsOf } from '../../db/destinations/file-links.ts';
import { ApiClient } from '../../test/support/api-client.ts';
import { serveReportedRuns } from '../../test/support/reported-runs.ts';
import { storeWorkspaceFile } from '../../test/support/stored-workspace.ts';
import { TEST_SECRET_KEY } from '../../test/support/test-api.ts';

const FILE = 'out/sales.csv';
const CONTENT = 'month,sum\nMay,7\n';
const NOT_FOUND = { detail: 'File not found' };

const reported = serveReportedRuns();
const { served, receiver, addDestination, deliver, storeRun, end, shownOf, pathOf } = reported;

let destination: string;
let runId: string;
let chatId: string;
let link: string;
beforeEach(async () => {
  destination = await addDestination();
  runId = await storeRun([{ destination_id: destination, files: ['out/*'] }]);
  const workspace = await reported.workspaceOf(runId);
  ({ chatId } = workspace);
  await workspace.write(FILE, CONTENT);
  await end(runId, 'completed');
  await deliver(destination);
  link = newestLink();
});

const newestLink = () => {
  const [file] = (receiver.reports().at(-1)?.['files'] ?? []) as { url: string }[];
  return (file?.url ?? '').replace('https://everturn.example.com', '');
};
const open = async (path = link, headers: Record<string, string> = {}) => {
  const { bytes, ...answer } = await new ApiClient(served.url).download(path, headers);
  return { ...answer, text: bytes.toString() };
};
const refusal = async (path = link) => {
  const { status, text } = await open(path);
  return [status, JSON.parse(text)] as const;
};

describe('the link of a file in a report', () => {
  test('leads to an attachment that no browser opens or tells others of', async () => {
    const { status, headers, text } = await open();
    expect([status, text]).toEqual([200, CONTENT]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-disposition': 'attachment; filename=sales.csv',
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringContaining('sandbox'),
    });
    expect(await open(link, { range: 'bytes=0-4' })).toMatchObject({ status: 206, text: 'month' });
  });

  test('adds no header, whatever the name of the file contains', async () => {
    await served.api.database.system.query('update workspace_entries set name = $2 where chat_id = $1 and type = $3', [
      chatId,
      'a"\r\nX-Evil: 1\r\n\r\n<script>.csv',
      'file',
    ]);
    const { status, headers } = await open();
    expect([status, headers.get('x-evil')]).toEqual([200, null]);
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename/);
  });

  test('is not found when it was cut, changed or made by somebody else', async () => {
    const token = link.slice(link.lastIndexOf('/') + 1);
    const at = link.slice(0, link.lastIndexOf('/') + 1);
    const middle = Math.floor(token.length / 2);
    const changed = `${token.slice(0, middle)}${token[middle] === 'A' ? 'B' : 'A'}${token.slice(middle + 1)}`;
    const box = new SecretBox([TEST_SECRET_KEY]);
    const ofOther = box.seal(JSON.stringify({ orgId: reported.user.orgId }), 'decision-link').toString('base64url');
    for (const bad of [token.slice(0, -8), changed, 'x', '%00', ofOther])
      expect(await refusal(`${at}${bad}`)).toEqual([404, NOT_FOUND]);
  });

  test('is not found once it has expired, nor for another report or file', async () => {
    const [delivery] = await shownOf(runId);
    const { orgId } = reported.user;
    const version = (await storedVersionsOf(served.api.database, { orgId, chatId }, [FILE])).get(FILE);
    const other = await storeWorkspaceFile(served.api.database, { orgId, chatId }, { path: 'b.txt', content: 'b' });
    const stored = (await storedVersionsOf(served.api.database, { orgId, chatId }, [other])).get(other);
    if (version === undefined || stored === undefined) throw new Error('no file is stored');
    const expiresAt = new Date(Date.now() + 60_000);
    const made = { orgId, deliveryId: delivery?.id ?? '', ...version, expiresAt };
    const at = (changed: Partial<typeof made>) =>
      `/api/report-files/${sealFileLink(new SecretBox([TEST_SECRET_KEY]), { ...made, ...changed })}`;
    expect(await open(at({}))).toMatchObject({ status: 200, text: CONTENT });
    const wrong = [
      { expiresAt: new Date(Date.now() - 1_000) },
      { deliveryId: runId },
      { contentId: stored.contentId },
      { entryId: stored.entryId },
      { orgId: destination },
    ];
    for (const each of wrong) expect(await refusal(at(each))).toEqual([404, NOT_FOUND]);
  });

  test.each([
    ['its file was replaced', async () => replaceFile()],
    ['its chat was deleted', async () => change('update chats set deleted_at = now() where id = $1', chatId)],
    ['its destination was deleted', async () => change('delete from destinations where id = $1', destination)],
    ['its run was deleted', async () => change('delete from workflow_runs where id = $1', runId)],
    ['who had it sent has left', async () => change('delete from memberships where user_id = $1', reported.user.id)],
  ])('is not found once %s', async (_what, happen) => {
    expect((await open()).status).toBe(200);
    await happen();
    expect(await refusal()).toEqual([404, NOT_FOUND]);
  });

  test('is not served after too many downloads of its report', async () => {
    const [delivery] = await shownOf(runId);
    await served.api.database.system.query('insert into rate_limits (key, points, expire) values ($1, 300, $2)', [
      `downloads-of-report:${delivery?.id}`,
      Date.now() + 60_000,
    ]);
    const { status, headers } = await open();
    expect([status, headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  });

  test('is another one in a report that is sent again, and the first one still works', async () => {
    const [delivery] = await shownOf(runId);
    expect((await reported.user.client.post(`${await pathOf(runId)}/deliveries/${delivery?.id}/resend`)).status).toBe(
      202,
    );
    await deliver(destination);
    expect(newestLink()).not.toBe(link);
    for (const each of [link, newestLink()]) expect(await open(each)).toMatchObject({ status: 200, text: CONTENT });
  });
});

const change = async (statement: string, id: string) => served.api.database.system.query(statement, [id]);
const replaceFile = async () =>
  storeWorkspaceFile(served.api.database, { orgId: reported.user.orgId, chatId }, { path: FILE, content: 'other' });
