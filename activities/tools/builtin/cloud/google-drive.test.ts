import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { drive as officialClient } from '@googleapis/drive';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { GoogleFiles } from '../../../../test/support/services/google-files.ts';
import { type GoogleTool, startGoogleTool } from '../../../../test/support/services/google-tools.ts';
import type { ToolArguments } from '../../tool.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { googleDrive } from './google-drive.ts';

const store = new GoogleFiles();
let google: GoogleTool;
beforeAll(async () => {
  google = await startGoogleTool('google_drive', store.routes);
});
afterAll(async () => google.close());
beforeEach(() => {
  google.server.seen.length = 0;
  store.files.clear();
});

const official = () => officialClient({ version: 'v3', ...google.server.clientOptions }).files;
const saved = async (path: string) => readFile(join(google.tools.home, path), 'utf8');

describe('google_drive', () => {
  test('uploads a text and a file of the workspace, which the official client reads', async () => {
    const text = { action: 'upload', name: 'no\r\n--te', content: 'Hello', parent_id: 'folder-1' };
    expect(googleDrive.prepare(text)).toMatchObject({ effect: 'once', approval: 'never' });
    expect(await google.use(text)).toMatchObject({ id: 'file-1', name: text.name, parents: ['folder-1'] });
    const options = { overwrite: true, createFolders: true, isForeign: false };
    await google.tools.context.workspace.write(filePath('data.csv'), Buffer.from('a,b\r\n1,2\r\n'), options);
    await google.use({ action: 'upload', name: 'data.csv', path: 'data.csv', mime_type: 'text/csv' });
    expect((await official().get({ fileId: 'file-2' })).data).toMatchObject({ name: 'data.csv', mimeType: 'text/csv' });
    expect((await official().get({ fileId: 'file-2', alt: 'media' })).data).toBe('a,b\r\n1,2\r\n');
  });

  test('downloads and exports what the official client has uploaded, to the workspace, as foreign', async () => {
    const media = { mimeType: 'text/plain', body: Readable.from(['From outside']) };
    // The client takes the address of uploads from the call.
    const { rootUrl } = google.server.clientOptions;
    await official().create({ requestBody: { name: 'there' }, media }, { rootUrl });
    const args = { action: 'download', file_id: 'file-1', path: 'in/there.txt' };
    expect(googleDrive.prepare(args)).toMatchObject({ effect: 'keyed', approval: 'never' });
    expect(await google.use(args)).toEqual({ path: 'in/there.txt', bytes: 12, type: 'text/plain' });
    expect(await saved('in/there.txt')).toBe('From outside');
    expect(await google.tools.context.workspace.isForeign(filePath('in/there.txt'))).toBe(true);
    await google.use({ action: 'export', file_id: 'file-1', path: 'there.md', mime_type: 'text/markdown' });
    expect(await saved('there.md')).toBe('From outside as text/markdown');
  });

  test('replaces, moves, shares and trashes a file, each of which a repetition does again', async () => {
    store.files.set('f', { fields: { id: 'f', name: 'a', parents: ['old', 'older'] }, content: 'x' });
    expect(await google.use({ action: 'replace', file_id: 'f', content: 'y' })).toMatchObject({ name: 'a' });
    expect(store.files.get('f')?.content).toBe('y');
    expect(await google.use({ action: 'move', file_id: 'f', parent_id: 'new', name: 'b' })).toMatchObject({
      name: 'b',
      parents: ['new'],
    });
    expect(google.server.seen.at(-1)?.url).toContain('addParents=new&removeParents=old%2Colder');
    const share = { action: 'share', file_id: 'f', email: 'bob@example.com', role: 'writer' };
    expect(await google.use(share)).toEqual({ id: 'bob@example.com', type: 'user', role: 'writer' });
    expect(google.server.seen.at(-1)?.url).toContain('sendNotificationEmail=false');
    expect(await google.use({ action: 'trash', file_id: 'f' })).toMatchObject({ trashed: true });
    for (const action of ['replace', 'move', 'share', 'trash'])
      expect(googleDrive.prepare({ action })).toMatchObject({ effect: 'keyed' });
    for (const action of ['replace', 'share', 'trash'])
      expect(googleDrive.prepare({ action })).toMatchObject({ approval: 'writes' });
  });

  test('searches for words that say nothing in the language of the API', async () => {
    const words = String.raw`it's \' or name contains 'x`;
    expect(await google.use({ action: 'search', query: words, parent_id: 'p' })).toEqual({ files: [], next: 'page-2' });
    const q = new URL(google.server.seen[0]?.url ?? '', google.server.url).searchParams.get('q');
    const quoted = String.raw`'it\'s \\\' or name contains \'x'`;
    expect(q).toBe(`trashed = false and (name contains ${quoted} or fullText contains ${quoted}) and 'p' in parents`);
  });

  test.each<ToolArguments>([
    { action: 'get', file_id: '../about' },
    { action: 'download', file_id: 'f', path: '../../etc/passwd' },
    { action: 'upload', name: 'x' },
    { action: 'upload', name: 'x', content: 'x', path: 'x' },
    { action: 'upload', name: 'x', content: 'x', mime_type: 'text/plain\r\nX: y' },
    { action: 'search', parent_id: "x' or 'y" },
    { action: 'share', file_id: 'f' },
  ])('uploads, reads and writes nothing for %j', async (args) => {
    await expect(google.use(args)).rejects.toMatchObject({ kind: 'invalid_input' });
    expect(google.server.seen.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});
