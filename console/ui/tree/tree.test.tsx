import { expect, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { Tree, treeOfPaths } from './tree.tsx';

const NODES = treeOfPaths(['SKILL.md', 'scripts/run.py', 'scripts/deep/a.py', 'notes.md']);

function Files() {
  const [selected, setSelected] = useState<string>();
  return (
    <>
      <Tree label="Files" nodes={NODES} selected={selected} onSelect={setSelected} />
      <p>Open: {selected ?? 'none'}</p>
    </>
  );
}

const shown = () => screen.getAllByRole('treeitem').map(({ textContent }) => textContent);
const focused = () => document.activeElement?.textContent;

test('folders come first, and a file is reached and opened by keys', async () => {
  const user = userEvent.setup();
  render(<Files />);
  expect(shown()).toEqual(['scripts', 'deep', 'run.py', 'notes.md', 'SKILL.md']);
  await user.tab();
  expect(focused()).toBe('scripts');
  await user.keyboard('{ArrowDown}{ArrowRight}{ArrowRight}');
  expect(focused()).toBe('a.py');
  await user.keyboard('{Enter}');
  expect(screen.getByText('Open: scripts/deep/a.py')).toBeDefined();
  expect(screen.getByRole('treeitem', { selected: true }).getAttribute('aria-level')).toBe('3');
  await user.keyboard('{ArrowLeft}{ArrowLeft}{ArrowLeft}{ArrowLeft}');
  expect(shown()).toEqual(['scripts', 'notes.md', 'SKILL.md']);
  expect(focused()).toBe('scripts');
});

test('a letter leads to the next name that begins with it, End to the last one', async () => {
  const user = userEvent.setup();
  render(<Files />);
  await user.tab();
  await user.keyboard('n');
  expect(focused()).toBe('notes.md');
  await user.keyboard('s');
  expect(focused()).toBe('SKILL.md');
  await user.keyboard('{Home}{End}');
  expect(focused()).toBe('SKILL.md');
});

test('a click opens a file, and closes a folder', async () => {
  const user = userEvent.setup();
  render(<Files />);
  await user.click(screen.getByText('run.py'));
  expect(screen.getByText('Open: scripts/run.py')).toBeDefined();
  await user.click(screen.getByText('scripts'));
  expect(screen.queryByText('run.py')).toBe(null);
});
