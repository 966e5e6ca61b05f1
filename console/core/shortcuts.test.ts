import { afterEach, describe, expect, test } from '@jest/globals';
import { Shortcuts, switchSingleKeys } from './shortcuts.ts';

afterEach(() => localStorage.clear());

function pressed(shortcuts: Shortcuts, ...events: (string | (KeyboardEventInit & { target?: Element }))[]): void {
  for (const event of events) {
    const { target = document.body, ...init } = typeof event === 'string' ? { key: event } : event;
    const made = new KeyboardEvent('keydown', { ...init, bubbles: true, cancelable: true });
    target.addEventListener('keydown', (seen) => shortcuts.press(seen as KeyboardEvent), { once: true });
    target.dispatchEvent(made);
  }
}

function recorded(): { shortcuts: Shortcuts; ran: string[] } {
  const [shortcuts, ran]: [Shortcuts, string[]] = [new Shortcuts(), []];
  for (const keys of ['g a', '/', 'Mod+k']) shortcuts.add({ keys, label: keys, run: () => ran.push(keys) });
  return { shortcuts, ran };
}

describe('Shortcuts', () => {
  test('run what a key, a sequence or a chord stands for', () => {
    const { shortcuts, ran } = recorded();
    pressed(shortcuts, 'g', 'a', '/', { key: 'k', ctrlKey: true }, { key: 'K', metaKey: true }, 'a');
    expect(ran).toEqual(['g a', '/', 'Mod+k', 'Mod+k']);
  });

  test('let the page have keys that go everywhere else, and are listed once', () => {
    const ran: string[] = [];
    const shortcuts = new Shortcuts();
    const removePage = shortcuts.add({ keys: 'c', label: 'Add a task', run: () => ran.push('page') });
    shortcuts.add({ keys: 'c', label: 'New chat', isGeneral: true, run: () => ran.push('everywhere') });
    expect(shortcuts.all().map(({ label }) => label)).toEqual(['Add a task']);
    pressed(shortcuts, 'c');
    removePage();
    pressed(shortcuts, 'c');
    expect([ran, shortcuts.all().map(({ label }) => label)]).toEqual([['page', 'everywhere'], ['New chat']]);
  });

  test('leave single keys to fields, and to a person who composes a character', () => {
    const { shortcuts, ran } = recorded();
    const field = document.body.appendChild(document.createElement('input'));
    pressed(shortcuts, { key: '/', target: field }, { key: '/', isComposing: true });
    expect(ran).toEqual([]);
    pressed(shortcuts, { key: 'k', ctrlKey: true, target: field });
    expect(ran).toEqual(['Mod+k']);
  });

  test('leave single keys to a field within a shadow root', () => {
    const ran: string[] = [];
    const shortcuts = new Shortcuts();
    shortcuts.add({ keys: 'j', label: 'Next', run: () => ran.push('j') });
    const root = document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'open' });
    const field = root.appendChild(document.createElement('textarea'));
    window.addEventListener('keydown', shortcuts.press);
    const press = (init: KeyboardEventInit) =>
      field.dispatchEvent(new KeyboardEvent('keydown', { ...init, bubbles: true, composed: true }));
    press({ key: 'j' });
    window.removeEventListener('keydown', shortcuts.press);
    expect(ran).toEqual([]);
  });

  test.each(['combobox', 'listbox', 'option', 'menu', 'menuitem', 'menuitemradio'])(
    'leave single keys to a %s, which takes letters',
    (role) => {
      const { shortcuts, ran } = recorded();
      const part = document.body.appendChild(document.createElement('div'));
      part.setAttribute('role', role);
      pressed(shortcuts, { key: '/', target: part }, { key: 'k', ctrlKey: true, target: part });
      expect(ran).toEqual(['Mod+k']);
    },
  );

  test.each(['dialog', 'alertdialog'])('behind a %s do nothing by single keys, those in it do', (role) => {
    const { shortcuts, ran } = recorded();
    const dialog = document.body.appendChild(document.createElement('div'));
    dialog.setAttribute('role', role);
    const button = dialog.appendChild(document.createElement('button'));
    pressed(shortcuts, { key: '/', target: button });
    expect(ran).toEqual([]);
    shortcuts.add({ keys: 'j', label: 'Next', run: () => ran.push('j'), dialog: () => dialog });
    pressed(shortcuts, { key: 'j', target: button }, { key: 'k', ctrlKey: true, target: button });
    expect(ran).toEqual(['j', 'Mod+k']);
  });

  test('leave what is typed to a field that is on its way, and go on once it has taken it', () => {
    const { shortcuts, ran } = recorded();
    shortcuts.expectField();
    pressed(shortcuts, 'g', 'a', { key: 'Shift', shiftKey: true }, { key: 'A', shiftKey: true }, '/');
    expect([ran, shortcuts.takeTyped(), shortcuts.takeTyped()]).toEqual([[], 'gaA/', '']);
    pressed(shortcuts, 'g', 'a');
    expect(ran).toEqual(['g a']);
  });

  test('go on once a key that types nothing is pressed, although a field is on its way', () => {
    const { shortcuts, ran } = recorded();
    shortcuts.expectField();
    pressed(shortcuts, 'x', 'Escape', '/');
    expect([ran, shortcuts.takeTyped()]).toEqual([['/'], '']);
  });

  test('do nothing by single keys once these are switched off', () => {
    const { shortcuts, ran } = recorded();
    switchSingleKeys(false);
    pressed(shortcuts, '/', 'g', 'a', { key: 'k', ctrlKey: true });
    expect(ran).toEqual(['Mod+k']);
  });

  test('end with the component that added them', () => {
    const { shortcuts, ran } = recorded();
    shortcuts.add({ keys: '/', label: 'another', run: () => ran.push('another') })();
    pressed(shortcuts, '/');
    expect(ran).toEqual(['/']);
  });
});
