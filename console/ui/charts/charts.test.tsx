import { expect, test } from '@jest/globals';
import { render, screen, within } from '@testing-library/react';
import { Bars, stackOf } from './bars.tsx';

test('bars have the same numbers in a table, with a total where several series are stacked', () => {
  const bars = [
    { label: '1 May', values: [3, 1] },
    { label: '2 May', values: [0, 2] },
  ];
  render(<Bars label="Tokens by day" series={['In', 'Out']} bars={bars} format={(value) => `${value} k`} />);
  const table = screen.getByRole('table', { name: 'Tokens by day', hidden: true });
  const rows = within(table).getAllByRole('row', { hidden: true });
  expect(rows.map(({ children }) => [...children].map((cell) => cell.textContent))).toEqual([
    ['Day', 'In', 'Out', 'Total'],
    ['1 May', '3 k', '1 k', '4 k'],
    ['2 May', '0 k', '2 k', '2 k'],
  ]);
});

test('the pieces of a bar stand on each other, and end at the top when it is the highest', () => {
  expect(stackOf({ label: '', values: [3, 0, 1] }, 4)).toEqual([
    { series: 0, y: 40, height: 120 },
    { series: 2, y: 0, height: 40 },
  ]);
  expect(stackOf({ label: '', values: [0, 0] }, 0)).toEqual([]);
});
