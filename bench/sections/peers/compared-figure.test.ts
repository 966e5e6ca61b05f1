import { describe, expect, test } from '@jest/globals';
import { verdictOf } from '../../report/target.ts';
import { type ComparedFigure, comparedRow, comparedTargets, times } from './compared-figure.ts';

const firstToken = (everturn: number): ComparedFigure => ({
  name: 'first token',
  unit: 'ms',
  better: 'less',
  values: { everturn, dbos: 6, floor: 4 },
  wanted: times(1.5, 'DBOS', 6),
});
const rate = (everturn: number): ComparedFigure => ({
  name: 'turns a second',
  unit: '/s',
  better: 'more',
  values: { everturn, dbos: 100, floor: 400 },
  wanted: times(0.9, 'DBOS', 100),
});

describe('a figure of the product beside those of its peers', () => {
  test.each([
    [firstToken(9), ['first token, ms', '9.0', '6.0', '1.50', '4.0', '2.25', '1.5 x DBOS', 'met']],
    [firstToken(9.1), ['first token, ms', '9.1', '6.0', '1.52', '4.0', '2.27', '1.5 x DBOS', 'missed']],
    [rate(90), ['turns a second, /s', '90.0', '100.0', '0.90', '400.0', '0.23', '0.9 x DBOS', 'met']],
    [rate(89), ['turns a second, /s', '89.0', '100.0', '0.89', '400.0', '0.22', '0.9 x DBOS', 'missed']],
  ])('has its ratios to both and is held to its limit (%#)', (figure, row) => {
    expect(comparedRow(figure)).toEqual(row);
  });

  test('is a target with the peer as its measure when it has a limit', () => {
    const { wanted: _, ...unlimited } = rate(1);
    const targets = comparedTargets([firstToken(12), unlimited]);
    expect(targets).toEqual([
      {
        name: 'beside its peers: first token (1.5 x DBOS)',
        measured: 12,
        bound: 9,
        better: 'less',
        unit: 'ms',
        floor: 4,
      },
    ]);
    expect(targets.map(verdictOf)).toEqual(['missed']);
  });
});
