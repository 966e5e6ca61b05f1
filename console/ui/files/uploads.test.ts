import { beforeEach, describe, expect, test } from '@jest/globals';
import { Problem } from '../../core/http/problem.ts';
import { type UploadedFile, Uploads } from './uploads.ts';

interface Running {
  readonly file: File;
  readonly signal: AbortSignal;
  onProgress(share: number): void;
  done(id: string): void;
  fail(error: unknown): void;
}

let kept: string;
let running: Running[];
let discarded: string[];
let uploads: Uploads;

function open(): Uploads {
  return new Uploads({
    maxFiles: 20,
    upload: async (file, options) =>
      new Promise<UploadedFile>((resolve, reject) => {
        running.push({
          file,
          ...options,
          done: (id) => resolve({ id, name: file.name, size: file.size }),
          fail: reject,
        });
      }),
    discard: (id) => discarded.push(id),
    store: { read: () => kept, write: (text) => (kept = text) },
  });
}
beforeEach(() => {
  [kept, running, discarded] = ['', [], []];
  uploads = open();
});

const files = (count: number) => Array.from({ length: count }, (_, index) => new File(['text'], `${index}.txt`));
const states = () => uploads.list().map(({ name, state }) => `${name} ${state}`);
const settled = async () => new Promise((resolve) => setTimeout(resolve, 0));

describe('files beside a message', () => {
  test('are uploaded two at a time, and tell how far they are', async () => {
    uploads.add(files(3));
    expect(states()).toEqual(['0.txt uploading', '1.txt uploading', '2.txt waiting']);
    running[0]?.onProgress(0.5);
    expect(uploads.list()[0]?.share).toBe(0.5);
    running[0]?.done('a');
    await settled();
    expect(states()).toEqual(['0.txt ready', '1.txt uploading', '2.txt uploading']);
  });

  test('are at most 20; how many were not taken is told', () => {
    expect([uploads.add(files(15)), uploads.add(files(8)), uploads.list().length]).toEqual([0, 3, 20]);
  });

  test('that were not taken say why, and are sent again', async () => {
    uploads.add(files(1));
    running[0]?.fail(new Problem(413, 'Too large'));
    await settled();
    expect(uploads.list()).toMatchObject([{ state: 'failed', reason: 'Too large' }]);
    uploads.retry(uploads.list()[0]?.key ?? '');
    running[1]?.done('a');
    await settled();
    expect(uploads.list()).toMatchObject([{ state: 'ready', reason: '', fileId: 'a' }]);
  });

  test('are the message’s once it is sent; those on their way stay', async () => {
    uploads.add(files(2));
    running[0]?.done('a');
    await settled();
    expect([uploads.take(), states()]).toEqual([['a'], ['1.txt uploading']]);
    expect(discarded).toEqual([]);
  });

  test('are taken out of the chat when they are taken off, also in the last moment', async () => {
    uploads.add(files(2));
    running[0]?.done('a');
    await settled();
    const [first, second] = uploads.list();
    uploads.remove(first?.key ?? '');
    uploads.remove(second?.key ?? '');
    expect(running[1]?.signal.aborted).toBe(true);
    running[1]?.done('b');
    await settled();
    expect([discarded, uploads.list(), kept]).toEqual([['a', 'b'], [], '']);
  });

  test('are kept when the page is closed, as far as they are uploaded', async () => {
    uploads.add(files(2));
    running[0]?.done('a');
    await settled();
    uploads.close();
    uploads = open();
    expect(states()).toEqual(['0.txt ready']);
    kept = '{"a":1}';
    expect(open().list()).toEqual([]);
  });

  test('that the chat has already are attached once', () => {
    const file = { id: 'a', name: 'a.txt', size: 3 };
    uploads.addStored([file]);
    uploads.addStored([file]);
    expect(uploads.list()).toMatchObject([{ fileId: 'a', state: 'ready' }]);
  });
});
