import { expect, test } from '@jest/globals';
import { writtenOf } from '../ui/form/use-record.ts';
import { bodyOf, changesOf, NEW_PROFILE, PROFILE_JSON } from './profile-fields.tsx';

const OF_A_MODEL = { ...NEW_PROFILE, name: 'Careful', provider_type: 'anthropic', model_name: 'large' };

test('a new profile names a model or a chain, never both', () => {
  expect(bodyOf({ ...OF_A_MODEL, tags: 'code' })).toEqual({
    name: 'Careful',
    description: '',
    provider_type: 'anthropic',
    model_name: 'large',
    provider_chain_id: null,
    tags: ['code'],
    priority: 0,
  });
  const ofChain = bodyOf({ ...OF_A_MODEL, by: 'chain', provider_chain_id: 'a-chain' });
  expect(ofChain).toMatchObject({ provider_type: null, model_name: null, provider_chain_id: 'a-chain' });
});

test('who answers is sent as a whole when any part of it was changed, and not otherwise', () => {
  expect(changesOf({ name: 'Quick' }, { ...OF_A_MODEL, name: 'Quick' })).toEqual({ name: 'Quick' });
  const values = { ...OF_A_MODEL, by: 'chain', provider_chain_id: 'a-chain' } as const;
  expect(changesOf({ by: 'chain', provider_chain_id: 'a-chain' }, values)).toEqual({
    provider_type: null,
    model_name: null,
    provider_chain_id: 'a-chain',
  });
});

test('a profile is changed as JSON as the api takes it, and names a model or a chain there, too', () => {
  const body = { ...bodyOf(OF_A_MODEL), tags: ['code', 'fast'] };
  expect(writtenOf(PROFILE_JSON, NEW_PROFILE, body)).toEqual(body);
  expect(PROFILE_JSON.read(body as never)).toMatchObject({ by: 'model', tags: 'code, fast' });
  expect(writtenOf(PROFILE_JSON, NEW_PROFILE, { ...body, provider_chain_id: 'a-chain' })).not.toEqual({
    ...body,
    provider_chain_id: 'a-chain',
  });
});
