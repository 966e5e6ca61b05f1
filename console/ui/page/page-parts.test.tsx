import { expect, jest, test } from '@jest/globals';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { Problem } from '../../core/http/problem.ts';
import { createQueryClient } from '../../core/http/query-client.ts';
import { usePages } from '../../core/http/use-answer.ts';
import { Facts, Loaded, Pager, Section } from './page.tsx';
import { FilterChips } from './filter-chips.tsx';
import { Tabs } from './tabs.tsx';

test('tabs show the one of the address, the first one for an unknown name, and follow the arrow keys', async () => {
  const user = userEvent.setup();
  function Parts() {
    const [value, setValue] = useState('nonsense');
    const tabs = [
      { value: 'prompt', label: 'Prompt', content: 'The prompt' },
      { value: 'tools', label: 'Tools', count: 3, content: 'The tools' },
    ];
    return <Tabs label="Agent" tabs={tabs} value={value} onValueChange={setValue} />;
  }
  render(<Parts />);
  expect(screen.getByRole('tabpanel').textContent).toBe('The prompt');
  await user.click(screen.getByRole('tab', { name: 'Prompt' }));
  await user.keyboard('{ArrowRight}{Enter}');
  await screen.findByText('The tools');
  // The one before stays, inert, until it has faded.
  await waitFor(() => expect(screen.queryByText('The prompt')).toBe(null));
});

const ROWS = Array.from({ length: 7 }, (_, at) => `row ${at}`);

function List({ read }: { readonly read: Parameters<typeof usePages<string>>[0]['read'] }) {
  const pages = usePages({ queryKey: ['rows'], read, keyOf: (row) => row, pageSize: 3 });
  return (
    <>
      <Loaded query={pages}>
        {({ items }) => (
          <ul>
            {items.map((item) => (
              <li key={item}>{item}</li>
            ))}
          </ul>
        )}
      </Loaded>
      <Pager pages={pages} />
    </>
  );
}

test('a list is read page by page, each row shown once although one has moved meanwhile', async () => {
  const user = userEvent.setup();
  const read = jest.fn(async ({ offset, limit }: { offset: number; limit: number }) => {
    // A row that was added at the top has moved all others by one before the second page is read.
    const rows = offset === 3 ? ['new', ...ROWS] : ROWS;
    return Promise.resolve({ items: rows.slice(offset, offset + limit), total: 7 });
  });
  render(
    <QueryClientProvider client={createQueryClient()}>
      <List read={read} />
    </QueryClientProvider>,
  );
  await screen.findByText('3 of 7');
  await user.click(screen.getByRole('button', { name: 'Load more' }));
  await screen.findByText('5 of 7');
  await user.click(screen.getByRole('button', { name: 'Load more' }));
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Load more' })).toBe(null));
  expect(read.mock.calls.map(([{ offset }]) => offset)).toEqual([0, 3, 6]);
  const shown = screen.getAllByRole('listitem').map(({ textContent }) => textContent);
  expect(new Set(shown).size).toBe(shown.length);
});

test('a further page that fails leaves the rows, says why, and can be asked for again', async () => {
  const user = userEvent.setup();
  let failures = 0;
  const read = async ({ offset, limit }: { offset: number; limit: number }) => {
    if (offset > 0 && failures++ === 0) throw new Problem(400, 'Not now');
    return Promise.resolve({ items: ROWS.slice(offset, offset + limit), total: 6 });
  };
  render(
    <QueryClientProvider client={createQueryClient()}>
      <List read={read} />
    </QueryClientProvider>,
  );
  await user.click(await screen.findByRole('button', { name: 'Load more' }));
  await screen.findByText('Not now');
  expect(screen.getAllByRole('listitem')).toHaveLength(3);
  await user.click(screen.getByRole('button', { name: 'Load more' }));
  await screen.findByText('row 5');
});

test('filters are taken away one by one or all at once, and added from a menu', async () => {
  const user = userEvent.setup();
  const log: string[] = [];
  const filter = (key: string) => ({ key, label: `Status: ${key}`, onRemove: () => log.push(`remove ${key}`) });
  render(
    <FilterChips
      active={[filter('failed'), filter('running')]}
      more={[{ key: 'a', label: 'Analyst', heading: 'Agent', run: () => log.push('add Analyst') }]}
      onClear={() => log.push('clear')}
    />,
  );
  await user.click(screen.getByRole('button', { name: 'Remove the filter Status: running' }));
  await user.click(screen.getByRole('button', { name: 'Clear all' }));
  await user.click(screen.getByRole('button', { name: 'Add a filter' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Analyst' }));
  expect(log).toEqual(['remove running', 'clear', 'add Analyst']);
});

test('a section is a region with its heading as its name, and facts are terms with what is known', () => {
  render(
    <Section title="About" lead="What is known">
      <Facts facts={[{ label: 'State', value: 'active' }]} />
    </Section>,
  );
  expect(screen.getByRole('region', { name: 'About' }).textContent).toContain('What is known');
  expect(screen.getByRole('term').textContent).toBe('State');
  expect(screen.getByRole('definition').textContent).toBe('active');
});
