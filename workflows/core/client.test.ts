import { expect, test } from '@jest/globals';
import { shareByPayer } from './client.ts';

const interceptor = shareByPayer((orgId) => ({ ownerId: orgId.startsWith('mine') ? 'me' : orgId, orgId }));

interface Start {
  readonly options: { readonly priority?: object };
}

/** Returns the priority that a start is sent with. */
async function sentWith(how: 'startWithDetails' | 'signalWithStart', priority?: object): Promise<unknown> {
  const sent: Start[] = [];
  const next = async (input: Start) => void sent.push(input);
  // What else a start has is passed on unseen.
  const intercept = interceptor[how] as unknown as (input: object, then: typeof next) => Promise<unknown>;
  await intercept({ options: { priority } }, next);
  return sent[0]?.options.priority;
}

test.each(['startWithDetails', 'signalWithStart'] as const)(
  'the workflows of all organizations of one owner share a key: %s',
  async (how) => {
    for (const fairnessKey of ['mine 1', 'mine 2'])
      expect(await sentWith(how, { fairnessKey, priorityKey: 2 })).toEqual({ fairnessKey: 'me', priorityKey: 2 });
    expect(await sentWith(how, { fairnessKey: 'another' })).toEqual({ fairnessKey: 'another' });
    expect(await sentWith(how)).toBeUndefined();
  },
);
