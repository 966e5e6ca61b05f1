import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseFilesLocation } from '../domain/files.ts';
import { type S3Server, startS3Server } from '../test/support/s3-server.ts';
import type { FileStore } from './file-store.ts';
import { S3Store } from './s3-store.ts';

const MEGABYTE = 1024 ** 2;

let server: S3Server;
let store: FileStore;
beforeAll(async () => {
  server = await startS3Server();
  store = await storeAt(server.filesUrl);
});
afterAll(async () => server.close());

async function storeAt(filesUrl: string): Promise<FileStore> {
  const location = parseFilesLocation(filesUrl);
  if (location === undefined) throw new Error('the test has no storage');
  return S3Store.open(location);
}

async function* chunksOf(content: Buffer): AsyncGenerator<Buffer, void, undefined> {
  for (let start = 0; start < content.length; start += 60_000) yield content.subarray(start, start + 60_000);
}

async function read(file: { orgId: string; fileId: string }, start: number, end: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of store.read(file, { start, end })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const newFile = () => ({ orgId: randomUUID(), fileId: randomUUID() });

describe('a storage that speaks S3', () => {
  test.each([1, 100_000, 5 * MEGABYTE, 5 * MEGABYTE + 1, 11 * MEGABYTE])(
    'keeps a file of %i bytes, whole and in part',
    async (size) => {
      const [file, content] = [newFile(), randomBytes(size)];
      await store.write(file, chunksOf(content));
      expect((await read(file, 0, size - 1)).equals(content)).toBe(true);
      const middle = Math.floor(size / 2);
      expect((await read(file, middle, size - 1)).equals(content.subarray(middle))).toBe(true);
    },
  );

  test('keeps nothing of a file that breaks off', async () => {
    const file = newFile();
    const broken = async function* broken(): AsyncGenerator<Buffer, void, undefined> {
      yield Buffer.alloc(12 * MEGABYTE);
      throw new Error('cut off');
    };
    await expect(store.write(file, broken())).rejects.toThrow('cut off');
    await expect(read(file, 0, 0)).rejects.toThrow('the file has been removed');
  });

  test('removes a file, once and again', async () => {
    const file = newFile();
    await store.write(file, chunksOf(Buffer.from('x')));
    await store.remove(file);
    await store.remove(file);
    await expect(read(file, 0, 0)).rejects.toThrow('the file has been removed');
  });

  test('that answers 404 to a removal has nothing left to remove', async () => {
    const storage = createServer((_request, response) => void response.writeHead(404).end());
    storage.listen(0, '127.0.0.1');
    await once(storage, 'listening');
    const { port } = storage.address() as AddressInfo;
    const strict = await storeAt(`s3://files?endpoint=http://127.0.0.1:${port}`);
    await expect(strict.remove(newFile())).resolves.toBeUndefined();
    await expect(strict.read(newFile(), { start: 0, end: 0 }).next()).rejects.toThrow('the file has been removed');
    storage.closeAllConnections();
    storage.close();
  });

  test('that is away is unavailable', async () => {
    const away = await storeAt('s3://files?endpoint=http://127.0.0.1:1');
    const failure = { code: 'unavailable', retryAfterSeconds: 5 };
    await expect(away.write(newFile(), chunksOf(Buffer.from('x')))).rejects.toMatchObject(failure);
  });
});
