import { afterEach, expect, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { NARROW } from '../../core/browser/browser.ts';
import { shortcuts } from '../../core/shortcuts.ts';
import { RowList, SplitView } from './split-view.tsx';

afterEach(() => localStorage.clear());

const KEYS = ['a', 'b', 'c'];

function Runs() {
  const [selected, setSelected] = useState<string>();
  return (
    <SplitView
      name="runs"
      keys={KEYS}
      selected={selected}
      onSelect={setSelected}
      list={
        <RowList label="Runs" rows={KEYS} keyOf={(key) => key} selected={selected} onSelect={setSelected}>
          {(key) => `Run ${key}`}
        </RowList>
      }
      detail={<p>Open: {selected ?? 'none'}</p>}
    />
  );
}

function renderRuns() {
  window.addEventListener('keydown', shortcuts.press);
  return { ...render(<Runs />), user: userEvent.setup() };
}

test('j and k open the next and the previous row, and stop at the ends', async () => {
  const { user } = renderRuns();
  await user.keyboard('jjk');
  expect(screen.getByText('Open: a')).toBeDefined();
  await user.keyboard('kjjj');
  expect(screen.getByText('Open: c')).toBeDefined();
  expect(screen.getByRole('button', { name: 'Run c' }).getAttribute('aria-current')).toBe('true');
  await user.click(screen.getByRole('button', { name: 'Back to the list' }));
  expect(screen.getByText('Open: none')).toBeDefined();
});

test('the width of the list is changed by keys, within bounds, and kept', async () => {
  const { user, unmount } = renderRuns();
  const width = () => Number(screen.getByRole('separator').getAttribute('aria-valuenow'));
  screen.getByRole('separator').focus();
  await user.keyboard('{ArrowRight}{ArrowRight}{ArrowLeft}');
  expect(width()).toBe(356);
  await user.keyboard('{Home}{ArrowLeft}');
  expect(width()).toBe(220);
  unmount();
  renderRuns();
  expect(width()).toBe(220);
});

test('on a narrow screen the focus goes to what is shown, and back to the row', async () => {
  const wide = globalThis.matchMedia;
  globalThis.matchMedia = (media) => Object.assign(wide(media), { matches: media === NARROW });
  try {
    const { user } = renderRuns();
    expect(document.activeElement).toBe(document.body);
    await user.click(screen.getByRole('button', { name: 'Run b' }));
    const back = screen.getByRole('button', { name: 'Back to the list' });
    expect(document.activeElement).toBe(back);
    await user.click(back);
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Run b' }));
  } finally {
    globalThis.matchMedia = wide;
  }
});
