import { expect, test } from '@jest/globals';
import { unmetNeed } from './needs.ts';

const nothing = { lacking: {}, integrations: new Set<never>() };

test('a tool that needs nothing can be used anywhere', () => {
  expect(unmetNeed({}, { lacking: { sandbox: 'none' }, integrations: new Set() })).toBeUndefined();
});

test('a tool that needs a feature can be used where it is there', () => {
  expect(unmetNeed({ needs: 'sandbox' }, nothing)).toBeUndefined();
  expect(unmetNeed({ needs: 'sandbox' }, { ...nothing, lacking: { sandbox: 'none' } })).toBe('none');
});

test('a tool that needs an integration can be used with one of any of its kinds', () => {
  const needsIntegration = ['brave', 'searxng'] as const;
  expect(unmetNeed({ needsIntegration }, { ...nothing, integrations: new Set(['searxng']) })).toBeUndefined();
  expect(unmetNeed({ needsIntegration }, { ...nothing, integrations: new Set(['github']) })).toBe(
    'it needs an integration with Brave Search or SearXNG, which somebody who may manage integrations can add',
  );
});

test('what the machine lacks is said first', () => {
  const needs = { needs: 'sandbox', needsIntegration: ['brave'] } as const;
  expect(unmetNeed(needs, { ...nothing, lacking: { sandbox: 'none' } })).toBe('none');
});
