import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import { useRef, useState } from 'react';
import { shortcuts } from '../shortcuts.ts';
import { useFirstFocus } from './first-focus.ts';

function Composer({ isWanted }: { readonly isWanted: boolean }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [words, setWords] = useState('half ');
  useFirstFocus(field, isWanted);
  return <textarea ref={field} aria-label="Message" value={words} onChange={({ target }) => setWords(target.value)} />;
}

const composer = () => screen.getByLabelText<HTMLTextAreaElement>('Message');
let other: HTMLElement;
beforeEach(() => {
  other = document.body.appendChild(document.createElement('div'));
  other.innerHTML = '<h1 tabindex="-1"></h1><input /><div role="dialog"><button></button></div>';
});
afterEach(() => {
  other.remove();
  jest.restoreAllMocks();
});
const focus = (selector: string) => other.querySelector<HTMLElement>(selector)?.focus();

test('the field gets the focus instead of a heading, and a draft is continued at its end with what was typed', () => {
  focus('h1');
  shortcuts.expectField();
  window.addEventListener('keydown', shortcuts.press);
  for (const key of 'go on') document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  window.removeEventListener('keydown', shortcuts.press);
  render(<Composer isWanted />);
  expect([document.activeElement, composer().value]).toEqual([composer(), 'half go on']);
  expect(composer().selectionStart).toBe('half go on'.length);
});

test('the field gets the focus once it is wanted, and only once', () => {
  const { rerender } = render(<Composer isWanted={false} />);
  expect(document.activeElement).toBe(document.body);
  rerender(<Composer isWanted />);
  expect(document.activeElement).toBe(composer());
  focus('h1');
  rerender(<Composer isWanted={false} />);
  rerender(<Composer isWanted />);
  expect(document.activeElement).toBe(other.querySelector('h1'));
});

test.each(['input', '[role=dialog] button'])('who is in %s meanwhile stays there', (selector) => {
  focus(selector);
  render(<Composer isWanted />);
  expect(document.activeElement).toBe(other.querySelector(selector));
});

test('a touch screen keeps its keyboard down', () => {
  jest.spyOn(globalThis, 'matchMedia').mockImplementation((media) => ({ media, matches: true }) as MediaQueryList);
  focus('h1');
  render(<Composer isWanted />);
  expect(document.activeElement).toBe(other.querySelector('h1'));
});
