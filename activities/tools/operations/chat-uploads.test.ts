import { expect, test } from '@jest/globals';
import type { TenantDatabase } from '../../../db/core/database.ts';
import type { FileStores } from '../../../files/file-stores.ts';
import { chatUploads } from './chat-uploads.ts';

const UPLOAD = {
  id: 'f',
  pathName: 'notes.pdf',
  size: 9,
  hasTextApart: true,
  textCharacters: 5,
  createdAt: new Date(),
};

test('a database that is away for a moment hides no upload, and breaks off no text', async () => {
  const isAway = [true, false, true, false, false];
  const answers = [[UPLOAD], [{ content: 'hello' }], []];
  const query = async () => {
    if (isAway.shift() === true) throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    return answers.shift();
  };
  const database = { tenant: { query } } as unknown as TenantDatabase;
  const { signal } = new AbortController();
  const list = chatUploads({ database, files: {} as FileStores }, { orgId: 'o', chatId: 'c' }, signal);
  const uploads = await list();
  expect(uploads.map(({ name }) => name)).toEqual(['notes.pdf', 'notes.pdf.txt']);
  let text = '';
  for await (const chunk of uploads[1]?.read(signal) ?? []) text += chunk.toString();
  expect(text).toBe('hello');
});
