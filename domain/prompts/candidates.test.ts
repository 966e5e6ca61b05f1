import { describe, expect, test } from '@jest/globals';
import { describeCandidates } from './candidates.ts';

describe('describeCandidates', () => {
  test('lists the agents that can be handed work, a line each', () => {
    const candidates = [
      { name: 'Ada', description: 'Counts\nthings.' },
      { name: 'Bob', description: '' },
    ];
    expect(describeCandidates(candidates, [])).toBe(
      '# Agents\n\nWith agent_spawn you can delegate work to these agents:\n\n- Ada: Counts things.\n- Bob',
    );
  });

  test('names the kinds of work that models can be chosen for', () => {
    expect(describeCandidates([{ name: 'Ada', description: '' }], ['code', 'fast\nones'])).toContain(
      '\n\nFor some kinds of work there are models of their own, which model_tags asks for: code, fast ones',
    );
  });

  test('says nothing when there are none', () => {
    expect(describeCandidates([], ['code'])).toBe('');
  });
});
