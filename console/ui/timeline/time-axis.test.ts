import { describe, expect, test } from '@jest/globals';
import { CUT_PX, fittingScale, segmentsOf, ticksOf, timeLineOf } from './use-timeline.ts';

const span = (from: number, to: number) => ({ from, to });
const GAP = 10_000;

describe('segmentsOf', () => {
  test('cuts what nothing covers when it is longer than the gap, and nothing else', () => {
    const spans = [span(0, 1_000), span(500, 2_000), span(11_000, 12_000), span(40_000, 41_000)];
    expect(segmentsOf(spans, span(0, 41_000), GAP)).toEqual([
      { from: 0, to: 12_000, isCut: false },
      { from: 12_000, to: 40_000, isCut: true },
      { from: 40_000, to: 41_000, isCut: false },
    ]);
  });

  test('cuts at both ends, takes spans in any order, and leaves out what is beyond', () => {
    const spans = [span(50_000, 51_000), span(20_000, 21_000), span(-90_000, -80_000)];
    expect(segmentsOf(spans, span(0, 90_000), GAP).map(({ from, to, isCut }) => [from, to, isCut])).toEqual([
      [0, 20_000, true],
      [20_000, 21_000, false],
      [21_000, 50_000, true],
      [50_000, 51_000, false],
      [51_000, 90_000, true],
    ]);
  });

  test('has one segment when there is nothing to cover it, and one of some length when no time has passed', () => {
    expect(segmentsOf([], span(0, 5_000), GAP)).toEqual([{ from: 0, to: 5_000, isCut: false }]);
    expect(segmentsOf([span(7, 7)], span(7, 7), GAP)).toEqual([{ from: 7, to: 8, isCut: false }]);
  });
});

describe('timeLineOf', () => {
  const segments = segmentsOf([span(0, 1_000), span(61_000, 62_000)], span(0, 62_000), GAP);

  test('finds the time of a place again, also within a cut, and none beyond its ends', () => {
    const line = timeLineOf(segments, fittingScale(segments, 1_056));
    for (const time of [0, 400, 1_000, 31_000, 61_500, 62_000]) expect(line.timeAt(line.at(time))).toBeCloseTo(time);
    expect([line.timeAt(-5), line.timeAt(9_999)]).toEqual([0, 62_000]);
    expect(timeLineOf([], 1).timeAt(5)).toBe(0);
  });

  test('is as wide as is asked for, with cuts of one width, and places times in order', () => {
    const line = timeLineOf(segments, fittingScale(segments, 1_056));
    expect(line.width).toBeCloseTo(1_056);
    expect(line.cuts).toEqual([{ from: 1_000, to: 61_000, isCut: true, x: 500 }]);
    expect([0, 500, 1_000, 31_000, 61_000, 62_000].map((time) => line.at(time))).toEqual([
      0,
      250,
      500,
      500 + CUT_PX / 2,
      500 + CUT_PX,
      1_056,
    ]);
    expect([line.at(-5), line.at(99_999)]).toEqual([0, 1_056]);
  });

  test('names round times that are far enough from each other', () => {
    const scale = fittingScale(segments, 1_056);
    const ticks = ticksOf(segments, scale);
    expect(ticks.map(({ offset }) => offset)).toEqual([
      0, 200, 400, 600, 800, 1_000, 61_200, 61_400, 61_600, 61_800, 62_000,
    ]);
    expect(ticksOf(segments, scale * 1e6).length).toBeLessThanOrEqual(400);
  });
});
