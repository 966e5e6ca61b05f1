import { expect, test } from '@jest/globals';
import { fireEvent, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { CronField, type CronValue, useCronWords } from './cron-field.tsx';

function Times({ changes }: { readonly changes: CronValue[] }) {
  const [value, setValue] = useState<CronValue>({ expression: '0 9 * * *', zone: 'Europe/Berlin' });
  return (
    <CronField
      value={value}
      now={Date.parse('2026-03-27T12:00:00Z')}
      onValueChange={(next) => {
        changes.push(next);
        setValue(next);
      }}
    />
  );
}

test('the next five times are shown on the clock of the zone, over a change of that clock', () => {
  render(<Times changes={[]} />);
  const rows = within(screen.getByRole('table', { name: 'Next runs' })).getAllByRole('row');
  expect(rows).toHaveLength(6);
  const times = screen.getAllByRole('rowheader').map(({ textContent }) => textContent);
  expect(times.every((time) => time?.endsWith(', 09:00'))).toBe(true);
});

test('what is wrong with an expression is said as the server says it', async () => {
  const user = userEvent.setup();
  render(<Times changes={[]} />);
  const expression = screen.getByRole('textbox', { name: 'Expression' });
  await user.clear(expression);
  await user.type(expression, '0 25 * * *');
  expect(screen.getByText('the hour "25" must be from 0 to 23')).toBeDefined();
  expect(expression.getAttribute('aria-invalid')).toBe('true');
  expect(screen.queryByRole('table')).toBe(null);
  expect(screen.getByRole('combobox', { name: 'How often' }).textContent).toContain('Custom (cron)');
});

test('times that a change of the clock leaves out or repeats are warned of', async () => {
  const user = userEvent.setup();
  render(<Times changes={[]} />);
  expect(screen.queryByText(/^When clocks change/)).toBe(null);
  await user.click(screen.getByRole('combobox', { name: 'How often' }));
  await user.click(await screen.findByRole('option', { name: 'Every hour' }));
  expect(screen.getByText(/^When clocks change/)).toBeDefined();
});

test('a preset sets the expression', async () => {
  const user = userEvent.setup();
  const changes: CronValue[] = [];
  render(<Times changes={changes} />);
  await user.click(screen.getByRole('combobox', { name: 'How often' }));
  await user.click(await screen.findByRole('option', { name: 'On weekdays' }));
  expect(changes).toEqual([{ expression: '0 9 * * 1-5', zone: 'Europe/Berlin' }]);
});

test('the time of day of a preset is chosen, and an expression of any such time is known as that preset', () => {
  const changes: CronValue[] = [];
  render(<Times changes={changes} />);
  fireEvent.change(screen.getByLabelText(/^At/), { target: { value: '17:05' } });
  expect(changes).toEqual([{ expression: '5 17 * * *', zone: 'Europe/Berlin' }]);
  expect(screen.getByRole('combobox', { name: 'How often' }).textContent).toContain('Every day');
});

test('times are said in words where they are those of a preset', () => {
  const Words = ({ of: expression }: { readonly of: string }) => <p>{useCronWords()(expression)}</p>;
  for (const expression of ['0 * * * *', '0 9 * * mon', '30 8 * * 1-5', '5 4 * * sun'])
    render(<Words of={expression} />);
  expect(screen.getAllByRole('paragraph').map(({ textContent }) => textContent)).toEqual([
    'Every hour',
    'Every Monday at 09:00',
    'On weekdays at 08:30',
    '5 4 * * sun',
  ]);
});
