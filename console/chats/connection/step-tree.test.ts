import { describe, expect, test } from '@jest/globals';
import { Random } from '../../../test/support/random.ts';
import type { StepFrame } from './merge-messages.ts';
import { type CallStep, partsOf, StepTree } from './step-tree.ts';

const turn_id = 'turn';
const begin = (id: string, task_id = 'turn'): StepFrame => ({
  type: 'sub_agent_step_start',
  turn_id,
  task_id,
  step_id: id,
  step_name: 'file_read',
  step_label: `Read ${id}`,
});
const end = (id: string, task_id = 'turn'): StepFrame => ({
  type: 'sub_agent_step_done',
  turn_id,
  task_id,
  step_id: id,
  status: 'success',
});
const spawn = (task_id: string, parent_id = 'turn'): StepFrame => ({
  type: 'sub_agent_start',
  turn_id,
  task_id,
  parent_id,
  step_id: `call of ${task_id}`,
  agent_name: 'Scout',
  task_title: 'Look',
  sub_chat_id: `chat of ${task_id}`,
});
const return_ = (task_id: string): StepFrame => ({
  type: 'sub_agent_done',
  turn_id,
  task_id,
  agent_name: 'Scout',
  output: 'found',
  usage: { input_tokens: 3, output_tokens: 4 },
  status: 'completed',
});
const ask = (approval_id: string, step_id: string): StepFrame => ({
  type: 'approval_requested',
  turn_id,
  approval_id,
  task_id: 'turn',
  step_id,
  chat_id: 'chat',
  agent_name: 'Lead',
  step_name: 'file_write',
  step_label: 'Write',
  expires_at: '2026-01-01T00:00:00.000Z',
});
const decide = (approval_id: string): StepFrame => ({
  type: 'approval_decided',
  turn_id,
  approval_id,
  task_id: 'turn',
  status: 'approved',
});

function treeOf(frames: readonly StepFrame[]): StepTree {
  const tree = new StepTree('turn');
  for (const frame of frames) tree.take(frame, undefined);
  return tree;
}

describe('the steps of a turn', () => {
  test('stand in the order of their beginning, with the time that each has taken', () => {
    const tree = new StepTree('turn');
    tree.take(begin('a'), 1_000);
    tree.take(begin('b'), 1_500);
    tree.take(end('a'), 3_000);
    expect(tree.steps).toMatchObject([
      { kind: 'call', id: 'a', status: 'success', startedAt: 1_000, endedAt: 3_000 },
      { kind: 'call', id: 'b', status: 'running', startedAt: 1_500, endedAt: undefined },
    ]);
  });

  test('stand where they were taken once those of the past are told, whichever were known before', () => {
    const tree = treeOf([begin('c'), begin('d')]);
    const at = (frame: StepFrame, text_offset: number) => ({ ...frame, text_offset }) as StepFrame;
    tree.take(begin('e'), 1_000, 20);
    tree.takePast([
      at(begin('a'), 7),
      end('a'),
      at(spawn('b'), 7),
      begin('x', 'b'),
      at(ask('wait', 'c'), 13),
      decide('wait'),
      at(begin('c'), 13),
      at(begin('d'), 13),
    ]);
    const offsets = tree.steps.map(({ id, offset }) => [id, offset]);
    expect(offsets).toEqual([
      ['a', 7],
      ['b', 7],
      ['c', 13],
      ['d', 13],
      ['e', 20],
    ]);
  });

  test('stand below the agents that take them', () => {
    const frames = [spawn('one'), begin('a', 'one'), spawn('two', 'one'), begin('b', 'two'), end('b', 'two')];
    expect(treeOf([...frames, return_('two')]).steps).toMatchObject([
      {
        kind: 'agent',
        id: 'one',
        status: 'running',
        steps: [
          { id: 'a', status: 'running' },
          { kind: 'agent', id: 'two', status: 'completed', output: 'found', tokens: 7, steps: [{ id: 'b' }] },
        ],
      },
    ]);
  });

  test('only move forward, whatever is told again', () => {
    const frames = [begin('a'), end('a'), spawn('one'), begin('b', 'one'), end('b', 'one'), return_('one')];
    const whole = treeOf(frames).steps;
    const random = new Random(3);
    for (let round = 0; round < 50; round += 1) {
      const again = Array.from({ length: 10 }, () => frames[random.below(frames.length)]).flatMap(
        (frame) => frame ?? [],
      );
      expect(treeOf([...frames, ...again]).steps).toEqual(whole);
    }
  });

  test('are the same value until one of them changes', () => {
    const tree = treeOf([begin('a')]);
    const { steps } = tree;
    tree.take(begin('a'), 5);
    expect(tree.steps).toBe(steps);
    tree.take(end('a'), 5);
    expect(tree.steps).not.toBe(steps);
  });

  test('wait anew where what was approved has changed, and a late word of the first decision changes nothing', () => {
    const tree = treeOf([ask('first', 'a'), decide('first'), begin('a'), ask('second', 'a'), decide('first')]);
    expect(tree.steps).toMatchObject([{ id: 'a', status: 'running', approval: { id: 'second', status: 'pending' } }]);
    expect(tree.steps[0]?.startedAt).toBeUndefined();
    for (const frame of [decide('second'), begin('a'), end('a')]) tree.take(frame, 40);
    expect(tree.steps).toMatchObject([{ status: 'success', startedAt: 40, approval: { status: 'approved' } }]);
  });

  test('wait for decisions, and begin after them', () => {
    const tree = treeOf([ask('question', 'a')]);
    expect(tree.steps).toMatchObject([{ id: 'a', status: 'running', approval: { id: 'question', status: 'pending' } }]);
    tree.take(decide('question'), 10);
    tree.take(begin('a'), 20);
    tree.take(end('a'), 30);
    tree.take(ask('question', 'a'), 40);
    expect(tree.steps).toMatchObject([
      { id: 'a', status: 'success', startedAt: 20, endedAt: 30, approval: { status: 'approved' } },
    ]);
  });
});

const at = (offset: number) => ({ id: `at ${offset}`, offset }) as CallStep;
const split = (text: string, ...offsets: number[]) => {
  const { parts, rest } = partsOf(text, offsets.map(at));
  return [...parts.map(({ text: said, steps }) => [said, ...steps.map(({ offset }) => offset)]), rest];
};

test('steps stand where they were taken', () => {
  expect(split('I look.\n\nFound it.', 7)).toEqual([['I look.', 7], '\n\nFound it.']);
  expect(split('I look.\n\nAgain.\n\nDone.', 7, 7, 15)).toEqual([['I look.', 7, 7], ['\n\nAgain.', 15], '\n\nDone.']);
});

test('nothing is said twice or left out, wherever steps claim to be', () => {
  expect(split('Done.', 0, 0)).toEqual([['', 0, 0], 'Done.']);
  expect(split('Done.', 99, 3)).toEqual([['Done.', 99, 3], '']);
  expect(split('', 0, 7)).toEqual([['', 0, 7], '']);
  expect(split('Done.')).toEqual(['Done.']);
});
