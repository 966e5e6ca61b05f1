import { expect, test } from '@jest/globals';
import { writtenOf } from '../ui/form/use-record.ts';
import { CHAIN_JSON, NEW_CHAIN, stepsOf, withStep } from './chain-fields.tsx';

test('a further step gets a key that no other one has, also after one was taken away', () => {
  const steps = [{ key: '2', provider_type: 'openai', model_name: 'large' }];
  expect(withStep(steps).map(({ key }) => key)).toEqual(['2', '3']);
  expect(withStep([]).map(({ key }) => key)).toEqual(['0']);
});

test('a step without a model leaves it to the account', () => {
  expect(stepsOf([{ key: '0', provider_type: 'openai', model_name: '' }])).toEqual([
    { provider_type: 'openai', model_name: null },
  ]);
});

test('a chain is changed as JSON as the api takes it, without the keys of the form', () => {
  const body = { name: 'Main', is_default: true, steps: [{ provider_type: 'openai', model_name: null }] };
  expect(writtenOf(CHAIN_JSON, NEW_CHAIN, body)).toEqual(body);
  expect(CHAIN_JSON.write({ ...NEW_CHAIN, ...CHAIN_JSON.read(body as never) })).toEqual(body);
  const unknown = { ...body, steps: [{ provider_type: 'openai', model_name: null, colour: 'red' }] };
  expect(writtenOf(CHAIN_JSON, NEW_CHAIN, unknown)).not.toEqual(unknown);
});
