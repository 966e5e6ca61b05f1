import { expect, test } from '@jest/globals';
import { SharedFrames } from './org-socket.ts';

test('equal changes for several members share one frame, encoded once', () => {
  const frames = new SharedFrames();
  const news = { resource: 'agents', id: '1', action: 'changed' } as const;
  const first = frames.of(news);
  expect(JSON.parse(first.toString())).toEqual({ type: 'changed', ...news });
  expect(frames.of({ ...news })).toBe(first);
  const others = [frames.of({ ...news, id: null }), frames.of({ ...news, action: 'deleted' })];
  expect(others.map((frame) => JSON.parse(frame.toString()))).toEqual([
    { type: 'changed', ...news, id: null },
    { type: 'changed', ...news, action: 'deleted' },
  ]);
  expect(new SharedFrames().of(news)).not.toBe(first);
});
