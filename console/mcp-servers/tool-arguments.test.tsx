import { expect, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import { ToolArguments } from './tool-arguments.tsx';

test('arguments of a tool are listed with their types, and no braces are shown', () => {
  const properties = {
    path: { type: 'string', description: 'Where to: `a/b`' },
    mode: { enum: ['append', 'replace'] },
    depth: { type: 'integer' },
    owner: { type: 'object' },
  };
  render(<ToolArguments schema={{ type: 'object', properties, required: ['path'] }} />);
  const rows = screen.getAllByRole('term').map((term) => `${term.textContent}: ${term.nextSibling?.textContent}`);
  expect(rows).toEqual([
    'path: text · required · Where to: a/b',
    'mode: append, replace',
    'depth: number',
    'owner: object or list',
  ]);
  expect(screen.getByText('a/b').localName).toBe('code');
});

test('a tool without arguments says so, and a schema of no object is shown as it is', () => {
  const { rerender } = render(<ToolArguments schema={{ type: 'object', properties: {} }} />);
  screen.getByText('No arguments.');
  rerender(<ToolArguments schema={{ anyOf: [] }} />);
  expect(screen.getByText(/anyOf/)).toBeTruthy();
});
