import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import { CallChanged } from '../../tool.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { googleDrive } from '../cloud/google-drive.ts';
import { s3 } from '../cloud/s3.ts';
import { slack } from '../communication/slack.ts';
import { telegram } from '../communication/telegram.ts';

let tools: TestTools;
beforeAll(async () => {
  const integrations = (['slack', 'telegram', 'google_drive', 's3'] as const).map((kind) => ({
    kind,
    name: kind,
    apiUrl: 'https://service.example.com',
    fields: [],
    secretPlaces: [],
    secrets: {},
  }));
  tools = await createTestTools({ integrations });
});
afterAll(() => tools.close());

const write = async (text: string) =>
  tools.context.workspace.write(filePath('a.txt'), Buffer.from(text), {
    overwrite: true,
    createFolders: true,
    isForeign: false,
  });

test.each([
  [slack, { action: 'upload', channel: 'C1', file: 'a.txt' }],
  [telegram, { action: 'send_file', chat_id: '1', file: 'a.txt' }],
  [googleDrive, { action: 'upload', name: 'a', path: 'a.txt' }],
  [googleDrive, { action: 'replace', file_id: 'f1', path: 'a.txt' }],
  [s3, { action: 'put', bucket: 'files', key: 'a', file: 'a.txt', overwrite: true }],
])('the content of a file is a part of what is approved: %#', async (tool, args) => {
  await write('one');
  const before = await tool.describe?.(args, tools.context);
  expect(before?.details.at(-1)).toEqual({ label: 'File', value: expect.stringMatching(/^a\.txt: 3 bytes, SHA-256 /) });
  expect(await tool.describe?.(args, tools.context)).toEqual(before);
  await write('two');
  expect((await tool.describe?.(args, tools.context))?.basis).not.toEqual(before?.basis);
  // What was written after the comparison is not sent either.
  await expect(prepareCall(tool, args).run(tools.context, before?.basis)).rejects.toBeInstanceOf(CallChanged);
});

test('a call that sends no file is described without one', async () => {
  const description = await s3.describe?.({ action: 'get', key: 'a', file: 'a.txt' }, tools.context);
  expect(description?.details.map(({ label }) => label)).toEqual(['Integration', 'Address']);
});
