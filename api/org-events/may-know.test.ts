import { expect, test } from '@jest/globals';
import { SharedFrames } from './org-socket.ts';

test('what members are told alike is one frame, made once', () => {
  const frames = new SharedFrames();
  const told = { resource: 'agents', id: '1', action: 'changed' } as const;
  const first = frames.of(told);
  expect(JSON.parse(first.toString())).toEqual({ type: 'changed', ...told });
  expect(frames.of({ ...told })).toBe(first);
  const others = [frames.of({ ...told, id: null }), frames.of({ ...told, action: 'deleted' })];
  expect(others.map((frame) => JSON.parse(frame.toString()))).toEqual([
    { type: 'changed', ...told, id: null },
    { type: 'changed', ...told, action: 'deleted' },
  ]);
  expect(new SharedFrames().of(told)).not.toBe(first);
});
