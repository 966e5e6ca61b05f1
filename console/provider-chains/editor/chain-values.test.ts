import { expect, test } from '@jest/globals';
import { stepsOf, withStep } from './chain-values.ts';

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
