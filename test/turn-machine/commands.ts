import fc from 'fast-check';
import { expect } from '@jest/globals';
import type { Fate, Machine, PlannedKind, Reply } from './machine.ts';
import type { Promises } from './promises.ts';
import type { CallRow } from './rows-of-chat.ts';

/** A machine, and what must be true of it. */
export interface Tested {
  readonly machine: Machine;
  readonly promises: Promises;
}

/** A command chooses among what there is by a number. */
export interface Action {
  readonly name: string;
  readonly run: (tested: Tested) => Promise<void>;
}

const pick = <T>(from: readonly T[], at: number): T | undefined => from[at % Math.max(from.length, 1)];
const at = fc.nat({ max: 6 });
const fate = fc.constantFrom<Fate[]>(
  'done',
  'done',
  'fails',
  'refused',
  'busy',
  'changed',
  'handed over',
  'lost before',
  'lost after',
);
const planned: fc.Arbitrary<PlannedKind> = fc.record({
  effect: fc.constantFrom<PlannedKind['effect'][]>('read', 'keyed', 'once'),
  asks: fc.boolean(),
});
const reply: fc.Arbitrary<Reply> = fc.oneof(
  { arbitrary: fc.constantFrom<Reply[]>('text', 'text', 'cooldown'), weight: 2 },
  { arbitrary: fc.array(planned, { minLength: 1, maxLength: 3 }), weight: 2 },
);

const action = (name: string, run: Action['run']): Action => ({ name, run });

const openCalls = async ({ machine }: Tested): Promise<readonly CallRow[]> =>
  (await machine.rows()).calls.filter(({ status }) => status === 'planned' || status === 'running');

const send = fc.nat({ max: 4 }).map((key) =>
  action(`send ${key}`, async ({ machine, promises }) => {
    const [content, id] = [`question ${key}`, `client-${key}`];
    const messageId = await machine.send(content, id);
    // A message that was accepted before stays as it is.
    if (messageId !== undefined && !promises.questions.has(id)) promises.questions.set(id, content);
  }),
);

const step = fc.tuple(reply, fc.boolean()).map(([replied, isLost]) =>
  action(`step ${JSON.stringify(replied)}${isLost ? ' lost' : ''}`, async ({ machine }) => {
    await machine.step(replied, isLost);
  }),
);

const attempt = fc.tuple(at, fate).map(([index, how]) =>
  action(`attempt ${index} ${how}`, async (tested) => {
    const call = pick(await openCalls(tested), index);
    if (call !== undefined) await tested.machine.attempt(call.id, how);
  }),
);

const wake = at.map((index) =>
  action(`wake ${index}`, async ({ machine }) => {
    const ghost = pick(machine.ghosts, index);
    if (ghost === undefined) return;
    machine.ghosts.splice(machine.ghosts.indexOf(ghost), 1);
    await ghost.wake();
  }),
);

/** A worker that was taken for dead wakes up when another one has gone on. */
const overtaken = fc.oneof(
  fc.tuple(reply, reply).map(([first, second]) =>
    action(`step ${JSON.stringify(first)} overtaken by ${JSON.stringify(second)}`, async ({ machine }) => {
      const ghosts = machine.ghosts.length;
      await machine.step(first, true);
      await machine.step(second, false);
      await machine.ghosts.splice(ghosts)[0]?.wake();
    }),
  ),
  fc.tuple(at, fc.constantFrom<Fate[]>('lost before', 'lost after'), fate).map(([index, first, second]) =>
    action(`attempt ${index} ${first} overtaken by ${second}`, async (tested) => {
      const { machine } = tested;
      const call = pick(await openCalls(tested), index);
      const ghosts = machine.ghosts.length;
      if (call === undefined) return;
      await machine.attempt(call.id, first);
      await machine.attempt(call.id, second);
      await machine.ghosts.splice(ghosts)[0]?.wake();
    }),
  ),
);

const stop = fc.boolean().map((isHeard) =>
  action(`stop${isHeard ? '' : ' unheard'}`, async ({ machine }) => {
    await machine.stop(isHeard);
  }),
);

const decide = fc.tuple(at, fc.constantFrom<('approved' | 'denied')[]>('approved', 'denied')).map(([index, status]) =>
  action(`${status} ${index}`, async ({ machine }) => {
    const { turns, calls } = await machine.rows();
    const call = pick(
      calls.filter(({ approval }) => approval === 'pending'),
      index,
    );
    if (call?.approvalId == null) return;
    const isStopped = turns.some((turn) => turn.id === call.turnId && turn.isStopped);
    expect(await machine.decide(call.approvalId, status)).toBe(!isStopped);
  }),
);

const edit = fc.nat({ max: 4 }).map((key) =>
  action(`edit ${key}`, async ({ machine, promises }) => {
    const id = `client-${key}`;
    const messageId = promises.questions.has(id) ? await machine.send('', id) : undefined;
    if (messageId === undefined) return;
    const content = `${promises.questions.get(id)}+`;
    if (await machine.edit(messageId, content)) promises.questions.set(id, content);
  }),
);

const withdraw = fc.nat({ max: 4 }).map((key) =>
  action(`delete ${key}`, async ({ machine, promises }) => {
    const id = `client-${key}`;
    const messageId = promises.questions.has(id) ? await machine.send('', id) : undefined;
    if (messageId !== undefined) await machine.withdraw(messageId);
  }),
);

const others = fc.constantFrom(
  action('time passes', async ({ machine }) => machine.passTime()),
  action('the chat is deleted', async ({ machine }) => machine.deleteChat()),
  action('the chat is restored', async ({ machine }) => machine.restoreChat()),
  action('rights are lost', async ({ machine }) => machine.admit(false)),
  action('rights are back', async ({ machine }) => machine.admit(true)),
);

const single = fc.oneof(
  { arbitrary: send, weight: 4 },
  { arbitrary: step, weight: 14 },
  { arbitrary: attempt, weight: 8 },
  { arbitrary: wake, weight: 4 },
  { arbitrary: overtaken, weight: 6 },
  { arbitrary: decide, weight: 4 },
  { arbitrary: stop, weight: 1 },
  { arbitrary: edit, weight: 1 },
  { arbitrary: withdraw, weight: 1 },
  { arbitrary: others, weight: 1 },
);

/** Actions of whoever reaches the database at the same instant. None of them expects an outcome. */
const racing = fc.oneof(step, attempt, wake, stop, send, withdraw);
const together = fc.tuple(racing, racing).map(([first, second]) =>
  action(`${first.name} | ${second.name}`, async (tested) => {
    await Promise.all([first.run(tested), second.run(tested)]);
  }),
);

/** Whatever may happen to a chat. */
export const actions: fc.Arbitrary<Action> = fc.oneof(
  { arbitrary: single, weight: 5 },
  { arbitrary: together, weight: 1 },
);

/** What may happen to the calls of a turn that has them. */
export const callActions: fc.Arbitrary<Action> = fc.oneof(
  { arbitrary: attempt, weight: 6 },
  { arbitrary: wake, weight: 4 },
  { arbitrary: overtaken, weight: 3 },
  { arbitrary: decide, weight: 2 },
  { arbitrary: step, weight: 1 },
  { arbitrary: stop, weight: 1 },
  {
    arbitrary: fc.tuple(attempt, fc.oneof(attempt, wake, stop)).map(([first, second]) =>
      action(`${first.name} | ${second.name}`, async (tested) => {
        await Promise.all([first.run(tested), second.run(tested)]);
      }),
    ),
    weight: 3,
  },
);
